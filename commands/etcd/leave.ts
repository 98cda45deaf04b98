import { etcdLeave } from "../../workflows/operations/etcd/leave.ts";
import { type AnyChange, changing, operateInputs } from "../_kit/operate.ts";
import type { AnyCommand } from "../_kit/mod.ts";

export const change: AnyChange = {
  operation: etcdLeave,
  prepare: () => ({ input: null }),
  oneNode: true,
};

export const command: AnyCommand = {
  summary: "Remove a node from etcd, gracefully",
  description:
    `The node loses its etcd data and stops serving the control plane. Refused if the remaining members would have no
quorum. The call is never sent twice: if its reply is lost, the member list shows the result.`,
  inputs: operateInputs,
  examples: ["etcd leave --nodes 10.0.0.4"],
  ...changing,
};
