import type { Group } from "../_kit/mod.ts";

/** `osctl etcd`: the database of the control plane. */
export const group: Group = {
  summary: "Manage etcd",
};
