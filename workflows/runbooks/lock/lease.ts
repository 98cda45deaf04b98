/** Lock of a run on its cluster as a Kubernetes Lease, for processes on other machines. */

import { type Kubernetes, readFields } from "../../kubernetes/client.ts";
import type { JournalEnd } from "../journal/writer.ts";
import { existing } from "../../kubernetes/objects.ts";

/** State of a run in a Lease. */
export interface LeaseState {
  /** Process that holds it, formatted by `holder.ts`; empty for none. */
  readonly holder: string;
  /** Last renewal by the clock of the holder, in milliseconds since 1970. */
  readonly renewedAt: number;
  /** Lease duration, in milliseconds; whole seconds. */
  readonly durationMs: number;
  /** Unfinished run; empty for none. */
  readonly claim: string;
  readonly claimedBy: string;
  /** Journal positions of the last runs, by id, newest first. */
  readonly journals: ReadonlyMap<string, JournalEnd>;
  /** Resource version of the object, for optimistic concurrency. */
  readonly version: string;
}

interface LeaseChange extends LeaseState {
  /** Who removed a claim, when and why; absent if no claim was removed. */
  readonly removed?: string;
}

/** Default lease duration, in milliseconds. */
export const leaseMs = 60_000;

/** API path of Leases. */
export const leasePath =
  "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

const leaseName = "osctl-runbook";
const claimKey = "osctl.dev/claim";
const claimedByKey = "osctl.dev/claimed-by";
const removedKey = "osctl.dev/claim-removed";
const journalsKey = "osctl.dev/journals";

const mostJournals = 32;

/** Reads the Lease. Returns `undefined` if there is none. Throws `KubernetesError` with the response of the API server. */
export async function readLease(
  kubernetes: Kubernetes,
  signal: AbortSignal,
): Promise<LeaseState | undefined> {
  const found = await existing(kubernetes, `${leasePath}/${leaseName}`, signal);
  if (found === undefined) return undefined;
  const metadata = readFields(readFields(found).metadata);
  const annotations = readFields(metadata.annotations);
  const spec = readFields(readFields(found).spec);
  return {
    holder: readText(spec.holderIdentity),
    renewedAt: Date.parse(readText(spec.renewTime)) || 0,
    durationMs: (Number(spec.leaseDurationSeconds) || leaseMs / 1_000) *
      1_000,
    claim: readText(annotations[claimKey]),
    claimedBy: readText(annotations[claimedByKey]),
    journals: journalsIn(readText(annotations[journalsKey])),
    version: readText(metadata.resourceVersion),
  };
}

/** Parses `20261120-7k2f:37:0a1b2c3d`, separated by spaces. */
function journalsIn(text: string): LeaseState["journals"] {
  const all = text.matchAll(/([A-Za-z0-9-]+):(\d+):([0-9a-f]{8})/g);
  return new Map(
    all.map(([_, run = "", seq, checksum = ""]) =>
      [run, { seq: Number(seq), checksum }] as const
    ),
  );
}

function journalsText(journals: LeaseState["journals"]): string {
  return [...journals].slice(0, mostJournals)
    .map(([run, { seq, checksum }]) => `${run}:${seq}:${checksum}`).join(" ");
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Writes the Lease.
 *
 * @param state New state; an empty version creates the Lease.
 * @throws {KubernetesError} With code 409 if another process has changed it meanwhile.
 */
export async function writeLease(
  kubernetes: Kubernetes,
  state: LeaseChange,
  signal: AbortSignal,
): Promise<void> {
  const { holder, renewedAt, durationMs, claim, claimedBy, journals } = state;
  const { removed, version } = state;
  const known = journalsText(journals);
  const body = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: leaseName,
      namespace: "kube-system",
      annotations: {
        [claimKey]: claim,
        [claimedByKey]: claimedBy,
        ...(known === "" ? {} : { [journalsKey]: known }),
        [removedKey]: removed,
      },
      ...(version === "" ? {} : { resourceVersion: version }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(durationMs / 1_000),
      // Kubernetes keeps microseconds.
      renewTime: new Date(renewedAt).toISOString().replace("Z", "000Z"),
    },
  };
  await (version === ""
    ? kubernetes.request(leasePath, { method: "POST", body, signal })
    : kubernetes.request(`${leasePath}/${leaseName}`, {
      method: "PUT",
      body,
      signal,
    }));
}
