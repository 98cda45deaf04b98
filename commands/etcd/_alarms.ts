/** Alarms as rows. */

import { enumName } from "../../transport/node/enum_name.ts";
import {
  type EtcdMemberAlarm,
  EtcdMemberAlarm_AlarmType as AlarmType,
} from "../../transport/gen/machine.ts";
import { hexadecimal } from "../../workflows/etcd/etcd_facts.ts";
import { table, type View } from "../_kit/mod.ts";

/** One alarm. Source: `MachineService.EtcdAlarmList` and `EtcdAlarmDisarm`. */
export interface AlarmRow {
  /** Node that told it. */
  readonly node: string;
  /** Member that raised it, 16 hexadecimal digits. */
  readonly member: string;
  /** `NOSPACE` or `CORRUPT`; `NONE` for one that is no more. */
  readonly alarm: string;
}

/** How alarms are shown; without any nothing is, which scripts test for. */
export const alarmView: View<AlarmRow> = table({
  NODE: ({ node }) => node,
  MEMBER: ({ member }) => member,
  ALARM: ({ alarm }) => alarm,
});

/** Makes rows of a node's answer. */
export function alarmRows(
  node: string,
  alarms: readonly EtcdMemberAlarm[],
): readonly AlarmRow[] {
  return alarms.map(({ memberId, alarm }) => ({
    node,
    member: hexadecimal(memberId),
    alarm: enumName(AlarmType, alarm),
  }));
}
