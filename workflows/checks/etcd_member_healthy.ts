import type { Check } from "./check.ts";
import { holds, lacks, nodeField, nodeOf } from "./finding.ts";

/** Whether the member on one node votes, follows a leader and has no error. */
export const etcdMemberHealthy: Check = {
  name: "etcd.memberHealthy",
  summary: "The node's member of etcd votes and is healthy",
  scope: "node",
  input: { node: nodeField },
  async look(site, input) {
    const node = nodeOf(site, input);
    const { facts, memberOf } = await site.cluster.readEtcd();
    const id = memberOf.get(node);
    if (id === undefined) return lacks(`etcd of ${node} does not answer`);
    if (facts.members.some((one) => one.id === id && one.learner)) {
      return lacks(`member ${id} of ${node} is still a learner`);
    }
    return facts.healthy.includes(id)
      ? holds(`member ${id} is healthy`)
      : lacks(`member ${id} of ${node} has no leader, or reports errors`);
  },
};
