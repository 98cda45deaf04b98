import { shutdown } from "../workflows/operations/shutdown.ts";
import { type AnyCommand, toggle, type Values } from "./_kit/mod.ts";
import {
  type AnyChange,
  type Change,
  changing,
  operateInputs,
} from "./_kit/operate.ts";

const inputs = {
  force: toggle("cordon and drain nothing first"),
  ...operateInputs,
};

/** What the command changes. */
export const change: AnyChange = {
  operation: shutdown,
  prepare: ({ force }) => ({ input: { force } }),
} satisfies Change<Values<typeof inputs>>;

/** `osctl shutdown`: switches nodes off, control planes one after the other. */
export const command: AnyCommand = {
  summary: "Shut nodes down",
  description:
    `A node counts as off when it does not answer any more; somebody else has to switch it on again. Control planes are shut
down one after the other, and only while etcd can spare them.`,
  stepNames: ["node.shutdown"],
  inputs,
  examples: [
    "shutdown --nodes 10.0.0.5",
    "shutdown --nodes @workers --yes",
  ],
  ...changing,
};
