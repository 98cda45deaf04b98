import { type Command, rest, silently } from "../_kit/mod.ts";
import { changeContext } from "../_kit/osconfig.ts";
import { listed } from "./_listed.ts";

/** Inputs of the command. */
export interface NodeInputs {
  /** Nodes as typed. */
  readonly node: readonly string[];
}

/** `osctl config node`: which nodes commands act on when none is named. */
export const command: Command<never, NodeInputs> = {
  summary: "Set the default nodes of a context",
  description:
    `The nodes given replace those of the context that --context names, else of the current one; without any, the context
has no default nodes. Nodes are what commands act on; they are reached through the endpoints.`,
  aliases: ["config nodes"],
  inputs: {
    node: rest("name, address, @all, @controlplane or @workers", {
      complete: "nodes",
    }),
  },
  examples: [
    "config node 10.0.0.2 10.0.0.5",
    "config node @controlplane --context production",
    "config node",
  ],
  ...silently<NodeInputs>(async ({ input, globals, environment, signal }) => {
    const nodes = listed(input.node);
    await changeContext(
      { globals, environment, signal, backup: false },
      (context) => ({ ...context, nodes }),
    );
  }),
};
