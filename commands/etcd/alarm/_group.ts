import type { Group } from "../../_kit/mod.ts";

/** `osctl etcd alarm`: alarms of etcd. */
export const group: Group = {
  summary: "List and disarm etcd alarms",
};
