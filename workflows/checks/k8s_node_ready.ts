import { nodeName } from "../kubernetes/node_name.ts";
import { readNode } from "../kubernetes/nodes.ts";
import type { Check } from "./check.ts";
import { holds, lacks, nodeField, nodeOf } from "./finding.ts";

/** Whether Kubernetes counts a node as ready. */
export const k8sNodeReady: Check = {
  name: "k8s.nodeReady",
  summary: "Kubernetes counts the node as ready",
  scope: "node",
  input: {
    node: nodeField,
    schedulable: {
      type: "bool",
      summary: "True to want pods to be placed on it, too",
      initial: false,
    },
  },
  async look({ cluster, signal, ...site }, input) {
    const node = nodeOf(site, input);
    const client = await cluster.at(node);
    const kubernetes = await cluster.kubernetes();
    const name = await nodeName({ node, client, cluster, signal }, kubernetes);
    const { ready, unschedulable } = await readNode(kubernetes, name, signal);
    if (!ready) return lacks(`${name} is not ready`);
    return input.schedulable === true && unschedulable
      ? lacks(`${name} is cordoned`)
      : holds(`${name} is ready`);
  },
};
