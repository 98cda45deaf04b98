import { etcdAlarmDisarm } from "../../../workflows/operations/etcd_upkeep.ts";
import type { Command } from "../../_kit/mod.ts";
import {
  operate,
  type OutcomeRow,
  outcomeView,
  withoutFlags,
} from "../../_kit/operate.ts";

/** What the command does to a node. */
export const operation: typeof etcdAlarmDisarm = etcdAlarmDisarm;

/** `osctl etcd alarm disarm`: takes alarms of etcd back. */
export const command: Command<OutcomeRow> = {
  summary: "Disarm alarms of etcd",
  description:
    `Make room first, with "osctl etcd defrag" on one node after the other: an alarm whose reason lasts is raised again.`,
  inputs: {},
  examples: ["etcd alarm disarm --nodes 10.0.0.2"],
  view: outcomeView,
  run: (context) =>
    operate({ ...context, input: withoutFlags }, { operation, input: null }),
};
