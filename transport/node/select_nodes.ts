import { UsageError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { fanOut } from "./fan_out.ts";
import type { FanOutOptions, NodeAnswer, Nodes } from "./nodes.ts";

const defaultAtOnce = 64;

/**
 * Selects a subset of the nodes.
 *
 * @param nodes Nodes whose connections are shared; the caller closes them.
 * @param names Names or addresses, at least one.
 */
export function selectNodes(nodes: Nodes, names: readonly string[]): Nodes {
  const stream: Nodes["stream"] = (open, { atOnce = Infinity } = {}) =>
    fanOut({
      nodes: names,
      atOnce,
      open: (node, stop) => openStream(nodes, node, stop, open),
    });
  return {
    ...nodes,
    names: () => Promise.resolve(names),
    stream,
    call<T>(
      ask: (client: NodeClient) => Promise<T>,
      { atOnce = defaultAtOnce }: FanOutOptions = {},
    ): AsyncGenerator<NodeAnswer<T>> {
      return stream(async function* (client) {
        yield await ask(client);
      }, { atOnce });
    },
    only(command) {
      const [node, ...others] = names;
      if (node !== undefined && others.length === 0) return nodes.at(node);
      throw new UsageError(
        `Command "${command}" works on one node, and ${names.length} are selected`,
        { hint: "Choose one with --nodes" },
      );
    },
  };
}

async function* openStream<T>(
  nodes: Nodes,
  node: string,
  stop: AbortSignal,
  open: (client: NodeClient) => AsyncIterable<T>,
): AsyncGenerator<T> {
  yield* open(await nodes.at(node, stop));
}
