import { etcdAlarmDisarm } from "../../../workflows/operations/etcd/etcd_maintenance.ts";
import { actInputs, type AnyChange, changing } from "../../_kit/operate.ts";
import type { AnyCommand } from "../../_kit/mod.ts";

export const change: AnyChange = {
  operation: etcdAlarmDisarm,
  prepare: () => ({ input: null }),
};

export const command: AnyCommand = {
  summary: "Disarm etcd alarms",
  description:
    `Free space first, with "osctl etcd defrag" on one node at a time: an alarm is raised again while its cause lasts.`,
  inputs: actInputs("30s"),
  examples: ["etcd alarm disarm --nodes 10.0.0.2"],
  ...changing,
};
