import { etcdAlarmDisarm } from "../../../workflows/operations/etcd/upkeep.ts";
import {
  type ActInputs,
  actInputs,
  operate,
  outcomeView,
} from "../../_kit/operate.ts";
import type { Command } from "../../_kit/mod.ts";
import type { OutcomeRow } from "../../../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof etcdAlarmDisarm = etcdAlarmDisarm;

/** `osctl etcd alarm disarm`: takes alarms of etcd back. */
export const command: Command<OutcomeRow, ActInputs> = {
  summary: "Disarm alarms of etcd",
  description:
    `Make room first, with "osctl etcd defrag" on one node after the other: an alarm whose reason lasts is raised again.`,
  inputs: actInputs("30s"),
  examples: ["etcd alarm disarm --nodes 10.0.0.2"],
  view: outcomeView,
  run: (context) => operate(context, { operation, input: null }),
};
