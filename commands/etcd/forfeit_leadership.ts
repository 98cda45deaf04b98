import { etcdForfeit } from "../../workflows/operations/etcd/etcd_maintenance.ts";
import { actInputs, type AnyChange, changing } from "../_kit/operate.ts";
import type { AnyCommand } from "../_kit/mod.ts";

export const change: AnyChange = {
  operation: etcdForfeit,
  prepare: () => ({ input: null }),
  volatile: true,
  changedFacts: ["etcd"],
};

export const command: AnyCommand = {
  summary: "Transfer etcd leadership to another member",
  description: "Nodes whose member is not the leader are skipped.",
  inputs: actInputs("30s"),
  examples: ["etcd forfeit-leadership --nodes 10.0.0.2"],
  ...changing,
};
