import { rest, silently } from "../_kit/mod.ts";
import { changeContext } from "../_session/osconfig.ts";
import { parseList } from "./_list_flag.ts";

const inputs = {
  node: rest("name, address, @all, @controlplane or @workers", {
    complete: "nodes",
  }),
};

export const command = silently({
  summary: "Set the default nodes of a context",
  description:
    `Replaces the default nodes of the context given by --context; default the current one. Without arguments, the context
has none. Commands act on nodes, and reach them through the endpoints.`,
  aliases: ["config nodes"],
  inputs,
  examples: [
    "config node 10.0.0.2 10.0.0.5",
    "config node @controlplane --context production",
    "config node",
  ],
  async work({ input, globals, environment, signal }) {
    const nodes = parseList(input.node);
    await changeContext(
      { globals, environment, signal, backup: false },
      (context) => ({ ...context, nodes }),
    );
  },
});
