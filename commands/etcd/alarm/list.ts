import { single } from "../../../transport/call/reply.ts";
import { clusterTable, type Command } from "../../_kit/mod.ts";
import { readControlPlanes } from "../../_kit/one_node.ts";
import { enumName } from "../../../transport/node/enum_name.ts";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "../../../transport/gen/machine_etcd.ts";
import { hexadecimal } from "../../../workflows/etcd/etcd_facts.ts";

/** An etcd alarm. Source: `MachineService.EtcdAlarmList`. */
interface AlarmRow {
  readonly node: string;
  /** Member with the alarm, 16 hexadecimal digits. */
  readonly member: string;
  /** `NOSPACE` or `CORRUPT`; `NONE` for a cleared one. */
  readonly alarm: string;
}

export const command: Command<AlarmRow> = {
  summary: "List etcd alarms",
  description:
    "A member whose database is full raises NOSPACE, and etcd accepts no more writes until the alarm is disarmed. A terminal shows the alarms once if all nodes list the same; -o wide shows those of each node.",
  inputs: {},
  empty: "No alarms",
  examples: ["etcd alarm list --nodes @controlplane"],
  // No output without alarms: scripts test for that.
  view: clusterTable({
    NODE: ({ node }) => node,
    MEMBER: ({ member }) => member,
    ALARM: {
      cell: ({ alarm }) => alarm,
      tone: ({ alarm }) => alarm === "NONE" ? undefined : "bad",
    },
  }),
  async *run(context) {
    const nodes = await readControlPlanes(context);
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.etcdAlarmList({})).messages)
    );
    for await (const { node, value: { memberAlarms } } of answers) {
      yield* memberAlarms.map(({ memberId, alarm }) => ({
        node,
        member: hexadecimal(memberId),
        alarm: enumName(AlarmType, alarm),
      }));
    }
  },
};
