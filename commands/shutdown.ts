import { shutdown } from "../workflows/operations/node/shutdown.ts";
import { type AnyCommand, toggle, type Values } from "./_kit/mod.ts";
import { type Change, changing, operateInputs } from "./_kit/operate.ts";

const inputs = {
  force: toggle("do not cordon and drain first"),
  ...operateInputs,
};

export const change = {
  operation: shutdown,
  prepare: ({ force }) => ({ input: { force } }),
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Shut down nodes",
  description:
    `Waits until each node no longer answers; osctl cannot power it on again. Control planes are shut down one at a time,
and only while etcd keeps its quorum.`,
  stepNames: ["node.shutdown"],
  inputs,
  examples: [
    "shutdown --nodes 10.0.0.5",
    "shutdown --nodes @workers --yes",
  ],
  ...changing,
};
