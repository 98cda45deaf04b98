import { etcdDefrag } from "../../workflows/operations/etcd/etcd_maintenance.ts";
import { actInputs, type AnyChange, changing } from "../_kit/operate.ts";
import type { AnyCommand } from "../_kit/mod.ts";

export const change: AnyChange = {
  operation: etcdDefrag,
  prepare: () => ({ input: null }),
  oneNode: "any",
};

export const command: AnyCommand = {
  summary: "Defragment the etcd database of one node",
  description:
    "The member does not answer meanwhile, which can take minutes. Defragment one node at a time, the leader last.",
  inputs: actInputs("10m0s"),
  examples: ["etcd defrag --nodes 10.0.0.2"],
  ...changing,
};
