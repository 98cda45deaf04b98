import { etcdDowngrade } from "../../../workflows/operations/etcd/etcd_maintenance.ts";
import { actInputs, type AnyChange, changing } from "../../_kit/operate.ts";
import type { AnyCommand } from "../../_kit/mod.ts";

export const change: AnyChange = {
  operation: etcdDowngrade,
  prepare: () => ({ input: { version: "" } }),
  oneNode: "any",
};

export const command: AnyCommand = {
  summary: "Cancel a downgrade of etcd",
  inputs: actInputs("30s"),
  examples: ["etcd downgrade cancel --nodes 10.0.0.2"],
  ...changing,
};
