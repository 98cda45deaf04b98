/** Kubernetes of a healthy cluster: its nodes. */

import { domain } from "../../../dialect.ts";
import { type KubernetesNode, listNodes } from "../../kubernetes/nodes.ts";
import { readSpecs } from "../../operations/read_resource.ts";
import { problemsOf } from "../finding.ts";
import {
  type HealthCheck,
  type HealthFinding,
  type HealthSite,
  waitingFor,
} from "./health_check.ts";
import { allOf, askedAt, type HealthNode } from "./health_nodes.ts";

const limitMs = 5 * 60_000;

/** Pods every control plane runs without being told by Kubernetes. */
const staticPods = [
  "kube-system/kube-apiserver",
  "kube-system/kube-controller-manager",
  "kube-system/kube-scheduler",
] as const;

/** Kubernetes knows all nodes, and no others. */
export const nodesReported: HealthCheck = {
  name: "all k8s nodes to report",
  limitMs,
  async look(site) {
    return waitingFor(mismatches(allOf(site.nodes), await nodesIn(site)));
  },
};

/** Static pods run on every control plane. */
export const staticPodsRunning: HealthCheck = {
  name: "all control plane static pods to be running",
  limitMs,
  async look(site) {
    const nodes = askedAt(site.nodes.controlPlanes);
    return waitingFor(
      await problemsOf(site, nodes, async (client) => {
        const specs = await readSpecs(client, {
          namespace: "k8s",
          type: `StaticPodStatuses.kubernetes.${domain}`,
        });
        // Nodes that do not show them are taken at their word elsewhere.
        if (specs === undefined) return undefined;
        const ids = [...specs.keys()];
        const missing = staticPods.filter((prefix) =>
          !ids.some((id) => id.startsWith(prefix))
        );
        return missing.length === 0
          ? undefined
          : `static pods are missing: ${missing.join(", ")}`;
      }),
    );
  },
};

/** All nodes are ready. */
export const nodesReady: HealthCheck = {
  name: "all k8s nodes to report ready",
  limitMs: 10 * 60_000,
  look: (site) => none(site, "not ready", ({ ready }) => !ready),
};

/** No node is closed for pods. */
export const nodesSchedulable: HealthCheck = {
  name: "all k8s nodes to report schedulable",
  limitMs,
  look: (site) => none(site, "cordoned", ({ unschedulable }) => unschedulable),
};

/**
 * Compares nodes with those Kubernetes knows, by their addresses.
 *
 * @param expected Nodes there have to be.
 * @param actual Nodes there are.
 * @returns One line for each that is missing or not expected.
 */
export function mismatches(
  expected: readonly HealthNode[],
  actual: readonly Pick<KubernetesNode, "name" | "addresses">[],
): readonly string[] {
  const have = new Set(actual.flatMap(({ addresses }) => addresses));
  const want = new Set(expected.flatMap(({ addresses }) => addresses));
  return [
    ...expected.filter(({ addresses }) =>
      !addresses.some((one) => have.has(one))
    )
      .map(({ address }) => `${address} is missing in Kubernetes`),
    ...actual.filter(({ addresses }) => !addresses.some((one) => want.has(one)))
      .map(({ name }) => `${name} is in Kubernetes and not expected`),
  ];
}

/** Nodes Kubernetes knows, but for one that has left. */
export async function nodesIn(
  { kubernetes, signal, gone = "" }: Pick<
    HealthSite,
    "kubernetes" | "signal" | "gone"
  >,
): Promise<readonly KubernetesNode[]> {
  const all = await listNodes(await kubernetes(), signal);
  return all.filter(({ name, addresses }) =>
    name !== gone && !addresses.includes(gone)
  );
}

async function none(
  site: HealthSite,
  word: string,
  isWrong: (node: KubernetesNode) => boolean,
): Promise<HealthFinding> {
  const wrong = (await nodesIn(site)).filter(isWrong).map(({ name }) => name);
  return waitingFor(wrong.map((name) => `${name} is ${word}`));
}
