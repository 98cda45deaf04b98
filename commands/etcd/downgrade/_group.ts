import type { Group } from "../../_kit/mod.ts";

/** `osctl etcd downgrade`: back to an older version of etcd's storage. */
export const group: Group = {
  summary: "Downgrade etcd",
};
