/** What was asked of the nodes of a model cluster. */

import type { MethodRoute } from "./handlers.ts";
import type { RecordedCall } from "../cluster/observed_state.ts";

/** A call that is recorded; whether it is carried out shows later. */
export interface OpenCall extends RecordedCall {
  /** True once the node has carried it out. */
  carriedOut: boolean;
}

/** Methods that change nothing, beside those whose names begin so. */
const reading =
  /^(?:Get|List|Watch|Version|Hostname|Memory|Mounts|Processes|Containers|Stats|SystemStat|LoadAvg|CPU|Disk|Dmesg|Events|Logs|Read|Copy|Netstat|NetworkDeviceStats|PacketCapture|ServiceList|ImageList|Time|Kubeconfig|Generate|EtcdMemberList|EtcdStatus|EtcdAlarmList|EtcdSnapshot|EtcdDowngradeValidate|HealthCheck|Verify|Controller)/;

/**
 * Whether a call may change something.
 *
 * @param request What is asked; a trial run changes nothing.
 */
export function isMutating(
  { definition: { name } }: Pick<MethodRoute, "definition">,
  request: unknown,
): boolean {
  const { dryRun } = Object(request) as { readonly dryRun?: boolean };
  return !reading.test(name) && dryRun !== true;
}
