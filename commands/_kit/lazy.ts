/** Nodes that are opened on first use, so that start-up does not pay for the transport. */

import type { Nodes } from "../../transport/node/nodes.ts";

/**
 * Puts off opening nodes.
 *
 * @param open Opens them; called at most once, on the first use.
 */
export function lazyNodes(open: () => Promise<Nodes>): Nodes {
  let opened: Promise<Nodes> | undefined;
  const nodes = () => opened ??= open();
  return {
    names: async () => await (await nodes()).names(),
    async *call(ask, options) {
      yield* (await nodes()).call(ask, options);
    },
    async *stream(each, options) {
      yield* (await nodes()).stream(each, options);
    },
    only: async (command) => await (await nodes()).only(command),
    at: async (node, until) => await (await nodes()).at(node, until),
    unconfigured: async (address) =>
      await (await nodes()).unconfigured(address),
    endpoint: async () => await (await nodes()).endpoint(),
    close() {
      // A failure to open was raised where it was needed.
      opened?.then((open) => open.close(), () => {});
    },
  };
}
