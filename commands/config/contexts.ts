import { type Command, headedTable } from "../_kit/mod.ts";
import { currentOsconfig } from "../_session/osconfig.ts";

/** A context of the client configuration. */
interface ContextRow {
  /** True for the context in use: the one of `--context`, else the current one. */
  readonly current: boolean;
  readonly name: string;
  /** Host or `host:port` of each endpoint, as written. */
  readonly endpoints: readonly string[];
  /** Default target nodes, as written. */
  readonly nodes: readonly string[];
}

export const command: Command<ContextRow> = {
  summary: "List the contexts",
  aliases: ["config get-contexts"],
  inputs: {},
  examples: ["config contexts", "config contexts -o json"],
  empty: "No contexts; add one with: osctl config merge <file>",
  view: headedTable({
    CURRENT: { cell: ({ current }) => current ? "*" : "", priority: 1 },
    NAME: { cell: ({ name }) => name, name: true },
    ENDPOINTS: ({ endpoints }) => endpoints.join(","),
    NODES: ({ nodes }) => shortenList(nodes),
  }),
  async *run({ globals, environment }) {
    const { config } = await currentOsconfig({ globals, environment });
    const current = globals.context ?? config.current;
    for (const name of [...config.contexts.keys()].sort()) {
      const { endpoints = [], nodes = [] } = config.contexts.get(name) ?? {};
      yield { current: name === current, name, endpoints, nodes };
    }
  },
};

const most = 3;

function shortenList(nodes: readonly string[]): string {
  const shown = nodes.slice(0, most).join(",");
  return nodes.length > most ? `${shown}...` : shown;
}
