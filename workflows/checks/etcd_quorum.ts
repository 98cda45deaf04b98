import { quorumOf } from "../etcd/quorum.ts";
import type { Check } from "./check.ts";
import { holds, lacks } from "./finding.ts";

/** Whether etcd has a leader and enough healthy voters, and how many it could still lose. */
export const etcdQuorum: Check = {
  name: "etcd.quorum",
  summary: "etcd has a leader, and enough voters are healthy",
  scope: "cluster",
  input: {
    spare: {
      type: "int",
      summary: "Healthy voters there have to be beyond the quorum",
      initial: 0,
    },
  },
  async look({ cluster }, { spare = 0 }) {
    const { facts } = await cluster.readEtcd();
    const voters = facts.members.filter(({ learner }) => !learner).length;
    if (voters === 0) {
      const doubts = facts.doubts.join("; ");
      return lacks(doubts || "no control plane tells how etcd is");
    }
    const needed = quorumOf(voters) + Number(spare);
    const text =
      `${facts.healthy.length} of ${voters} voters healthy, ${needed} needed`;
    return facts.healthy.length >= needed ? holds(text) : lacks(text);
  },
};
