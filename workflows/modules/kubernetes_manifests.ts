/** `k8s.applyManifests`: applies the bootstrap manifests of the control planes. */

import { isAway, type KubernetesObject } from "../kubernetes/client.ts";
import {
  applyManifests,
  inventoryPolicies,
  type ManifestChange,
  type ManifestOptions,
  planManifests,
  readManifests,
} from "../kubernetes/manifests.ts";
import { openRollout } from "../kubernetes/rollouts.ts";
import { askControlPlanes } from "../operations/cluster_view.ts";
import type { NodeContext, Operation } from "../operations/operation.ts";
import { untilDecided } from "../operations/poll.ts";
import { readVersion } from "../checks/ask_nodes.ts";
import type { Module } from "./module.ts";
import { parseVersion } from "../../lib/version.ts";
import { readChoice, readTruth } from "../runbook_cel/values.ts";

type ManifestInput = ManifestChoice & {
  /** True to ignore pods on nodes that are not ready. */
  readonly skipUnreachable: boolean;
};

/** What may be done to existing objects. */
export type ManifestChoice = {
  /** True to delete objects that are no longer in any manifest. */
  readonly prune: boolean;
  /** True to delete and create objects whose fields cannot be changed. */
  readonly force: boolean;
  readonly inventoryPolicy: (typeof inventoryPolicies)[number];
};

type ManifestKey = {
  /** Objects with their action: `change v1.ConfigMap/kube-system/coredns`. */
  readonly changes: readonly string[];
};

/** First minor OS version with server-side apply. */
const serverSideSince = 13;

/** Manifests of a cluster, with apply options. */
interface ClusterManifests {
  readonly objects: readonly KubernetesObject[];
  /** True when nodes use server-side apply. */
  readonly serverSide: boolean;
}

/** Reads the manifests of the first control plane that answers. */
export function takeManifests(
  cluster: NodeContext["cluster"],
): Promise<ClusterManifests> {
  return askControlPlanes(cluster, async (client) => {
    const [{ version }, objects] = await Promise.all([
      readVersion(client),
      readManifests(client),
    ]);
    const { minor = 0 } = parseVersion(version?.tag ?? "") ?? {};
    return { objects, serverSide: minor >= serverSideSince };
  }, "Cannot read the bootstrap manifests");
}

/** Compares the manifests of a cluster with its objects. */
export async function manifestChanges(
  { cluster, signal }: Pick<NodeContext, "cluster" | "signal">,
  { prune, force, inventoryPolicy }: ManifestChoice,
): Promise<readonly ManifestChange[]> {
  const { objects, serverSide } = await takeManifests(cluster);
  const options: ManifestOptions = {
    ...{ serverSide, prune, force, inventoryPolicy, signal },
  };
  return await planManifests(await cluster.kubernetes(), objects, options);
}

const operation: Operation<ManifestInput, ManifestKey, ManifestKey> = {
  name: "k8s.applyManifests",
  effect: "write",
  idempotency: "converge",
  touches: "never",
  quorum: () => "none",
  async observe(context, input) {
    const changes = await manifestChanges(context, input);
    return {
      changes: changes.map(({ action, object }) => `${action} ${object}`),
    };
  },
  plan: ({ changes }) => changes.map((action) => ({ action })),
  key: (seen) => seen,
  async *apply({ cluster, signal }, { prune, force, inventoryPolicy }) {
    const { objects, serverSide } = await takeManifests(cluster);
    const kubernetes = await cluster.kubernetes();
    const options = { serverSide, prune, force, inventoryPolicy, signal };
    for await (const change of applyManifests(kubernetes, objects, options)) {
      yield { text: `${change.action} ${change.object}` };
    }
  },
  reconcile: async (context, input) =>
    (await manifestChanges(context, input)).length === 0
      ? "done"
      : "not-started",
  async *verify(context, { skipUnreachable }) {
    let blocked: readonly string[] = [];
    const verdict = yield* untilDecided(context, async () => {
      const { cluster, signal } = context;
      try {
        const { objects } = await takeManifests(cluster);
        const kubernetes = await cluster.kubernetes();
        blocked = [];
        for (const object of objects) {
          const options = { skipUnreachable, signal };
          const open = await openRollout(kubernetes, object, options);
          if (open === undefined) continue;
          if (!open.isBlocked) return { missing: open.reason };
          blocked = [...blocked, open.reason];
        }
        const reason = `${objects.length} objects match the manifests`;
        return { verdict: { outcome: "done", reason } };
      } catch (error) {
        if (isAway(error)) return { missing: error.message };
        throw error;
      }
    });
    for (const reason of verdict.outcome === "done" ? blocked : []) {
      yield {
        text: `${reason}; Kubernetes continues when unavailable nodes are back`,
      };
    }
    return verdict;
  },
};

/** Applies the manifests of control planes, and waits for the rollout. */
export const k8sApplyManifests: Module = {
  kind: "change",
  name: "k8s.applyManifests",
  summary: "Apply the bootstrap manifests of the control planes to Kubernetes",
  scope: "cluster",
  operation,
  input: {
    prune: {
      type: "bool",
      initial: false,
      summary:
        "Whether to delete objects that are no longer in any manifest (v1.13 and later)",
    },
    force: {
      type: "bool",
      initial: false,
      summary:
        "Whether to delete and create objects whose fields cannot be changed",
    },
    inventoryPolicy: {
      type: "enum",
      values: inventoryPolicies,
      initial: inventoryPolicies[0],
      summary:
        "Which existing objects may be changed: those of the nodes' inventory (MustMatch), also those of none, or also those of another (AdoptAll); v1.13 and later",
    },
    skipUnreachable: {
      type: "bool",
      initial: false,
      summary: "Whether not to wait for pods on nodes that are not ready",
    },
  },
  output: {},
  retryable: ["unavailable", "deadline", "not-started"],
  changedFacts: [],
  timeout: "15m",
  prepare: (_, input) => ({
    input: {
      prune: readTruth(input, "prune", false),
      force: readTruth(input, "force", false),
      inventoryPolicy: readChoice(input, "inventoryPolicy", inventoryPolicies),
      skipUnreachable: readTruth(input, "skipUnreachable", false),
    },
  }),
};
