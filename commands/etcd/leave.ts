import { etcdLeave } from "../../workflows/operations/etcd/leave.ts";
import { type AnyChange, changing, operateInputs } from "../_kit/operate.ts";
import type { AnyCommand } from "../_kit/mod.ts";

/** What the command changes. */
export const change: AnyChange = {
  operation: etcdLeave,
  prepare: () => ({ input: null }),
  oneNode: true,
};

/** `osctl etcd leave`: takes the member of one node out of etcd. */
export const command: AnyCommand = {
  summary: "Take the member of one node out of etcd",
  description:
    `The node loses its etcd data and stops serving the control plane. It is refused when the members that stay would have no
quorum. The call is never sent twice: when its reply is lost, the list of members tells what became of it.`,
  inputs: operateInputs,
  examples: ["etcd leave --nodes 10.0.0.4"],
  ...changing,
};
