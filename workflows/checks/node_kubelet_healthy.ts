import type { Check } from "./check.ts";
import { holds, lacks, nodeField, nodeOf } from "./finding.ts";
import { readService, serviceProblem } from "./service_state.ts";

/** Whether the kubelet of a node runs and says that it is healthy. */
export const nodeKubeletHealthy: Check = {
  name: "node.kubeletHealthy",
  summary: "The kubelet of the node is healthy",
  scope: "node",
  input: { node: nodeField },
  async look(site, input) {
    const client = await site.cluster.at(nodeOf(site, input));
    const service = await readService(client, "kubelet");
    const problem = serviceProblem("kubelet", service, true);
    return problem === undefined ? holds("kubelet healthy") : lacks(problem);
  },
};
