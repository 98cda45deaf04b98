import type { Check } from "./check.ts";
import { holds, lacks } from "./finding.ts";

/** Whether etcd works without a restriction, such as a full database. */
export const etcdNoAlarms: Check = {
  name: "etcd.noAlarms",
  summary: "etcd has no alarm",
  scope: "cluster",
  input: {},
  async look({ cluster }) {
    const { facts } = await cluster.readEtcd();
    if (facts.alarms.length > 0) {
      return lacks(`etcd has the alarm ${facts.alarms.join(", ")}`);
    }
    return facts.members.length > 0
      ? holds("no alarms")
      : lacks("no control plane tells how etcd is");
  },
};
