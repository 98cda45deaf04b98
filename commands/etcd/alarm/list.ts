import { single } from "../../../transport/call/reply.ts";
import type { Command } from "../../_kit/mod.ts";
import { type AlarmRow, alarmRows, alarmView } from "../_alarms.ts";

/** `osctl etcd alarm list`: alarms of etcd, as each node tells them. */
export const command: Command<AlarmRow> = {
  summary: "List alarms of etcd",
  description:
    "A member whose database is full raises NOSPACE, and etcd takes no more writes until it is disarmed.",
  inputs: {},
  examples: ["etcd alarm list --nodes @controlplane"],
  view: alarmView,
  async *run({ nodes }) {
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.etcdAlarmList({})).messages)
    );
    for await (const { node, value: { memberAlarms } } of answers) {
      yield* alarmRows(node, memberAlarms);
    }
  },
};
