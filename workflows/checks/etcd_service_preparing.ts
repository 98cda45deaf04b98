import type { Check } from "./check.ts";
import { holds, lacks, nodeField, nodeOf } from "./finding.ts";
import { readService } from "./service_state.ts";

/** Whether a node's etcd waits to be begun anew. */
export const etcdServicePreparing: Check = {
  name: "etcd.servicePreparing",
  summary: "The node's etcd waits to be bootstrapped",
  scope: "node",
  input: { node: nodeField },
  async look(site, input) {
    const node = nodeOf(site, input);
    const service = await readService(await site.cluster.at(node), "etcd");
    const state = service?.state ?? "";
    return state === "Preparing"
      ? holds("etcd is preparing")
      : lacks(`etcd of ${node} is ${state.toLowerCase() || "not registered"}`);
  },
};
