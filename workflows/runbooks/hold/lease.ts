/** The hold of a run on its cluster as an object of Kubernetes, for those on other machines. */

import {
  fieldsOf,
  type Kubernetes,
  KubernetesError,
} from "../../kubernetes/client.ts";

/** What a Lease says of a run. */
export interface LeaseState {
  /** Run and host that hold it: `20261120-7k2f @ host`; empty for nobody. */
  readonly holder: string;
  /** When it was renewed last, in milliseconds since 1970. */
  readonly renewedAt: number;
  /** Run that has begun something and not ended; empty for none. */
  readonly claim: string;
  /** Who began it. */
  readonly claimedBy: string;
  /** Version of the object, against writing over others. */
  readonly version: string;
}

/** What a Lease is to say. */
export interface LeaseChange extends LeaseState {
  /** Who removed a claim, when and why; absent when nobody did. */
  readonly removed?: string;
}

/** How long a hold lasts that is not renewed, in milliseconds. */
export const leaseMs = 60_000;

const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const leaseName = "osctl-runbook";
const claimKey = "osctl.dev/claim";
const claimedByKey = "osctl.dev/claimed-by";
const removedKey = "osctl.dev/claim-removed";

/**
 * Reads the Lease.
 *
 * @returns `undefined` when there is none.
 * @throws {KubernetesError} What the API server says.
 */
export async function readLease(
  kubernetes: Kubernetes,
  signal: AbortSignal,
): Promise<LeaseState | undefined> {
  try {
    const found = await kubernetes.request(`${path}/${leaseName}`, { signal });
    const metadata = fieldsOf(fieldsOf(found).metadata);
    const annotations = fieldsOf(metadata.annotations);
    const spec = fieldsOf(fieldsOf(found).spec);
    return {
      holder: textOf(spec.holderIdentity),
      renewedAt: Date.parse(textOf(spec.renewTime)) || 0,
      claim: textOf(annotations[claimKey]),
      claimedBy: textOf(annotations[claimedByKey]),
      version: textOf(metadata.resourceVersion),
    };
  } catch (error) {
    if (error instanceof KubernetesError && error.code === 404) {
      return undefined;
    }
    throw error;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Writes the Lease.
 *
 * @param kubernetes The API server.
 * @param state What it is to say; an empty version makes it.
 * @param signal Ends it.
 * @throws {KubernetesError} With code 409 when somebody else was faster.
 */
export async function writeLease(
  kubernetes: Kubernetes,
  state: LeaseChange,
  signal: AbortSignal,
): Promise<void> {
  const { holder, renewedAt, claim, claimedBy, removed, version } = state;
  const body = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: leaseName,
      namespace: "kube-system",
      annotations: {
        [claimKey]: claim,
        [claimedByKey]: claimedBy,
        ...(removed === undefined ? {} : { [removedKey]: removed }),
      },
      ...(version === "" ? {} : { resourceVersion: version }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: leaseMs / 1_000,
      // Kubernetes keeps microseconds.
      renewTime: new Date(renewedAt).toISOString().replace("Z", "000Z"),
    },
  };
  await (version === ""
    ? kubernetes.request(path, { method: "POST", body, signal })
    : kubernetes.request(`${path}/${leaseName}`, {
      method: "PUT",
      body,
      signal,
    }));
}
