import type { NodeClient } from "../call/client.ts";

/** One value from one node. */
export interface NodeAnswer<T> {
  readonly node: string;
  readonly value: T;
}

/** Nodes beside the selected ones, or these over other connections. */
export interface Selection {
  readonly nodes: readonly string[];
  /** Endpoints beside those of the context. */
  readonly alsoAt: readonly string[];
  /** Longest wait for one answer, in milliseconds. */
  readonly nodeTimeoutMs: number;
  /** Accepted server certificate fingerprints in maintenance mode; default those of the command line. */
  readonly fingerprints?: readonly string[];
}

/** Limits of a fan-out. */
export interface FanOutOptions {
  /** Nodes asked at once, default 64 for unary calls and all for streams. */
  readonly atOnce?: number;
  /** Longest time for one node in milliseconds; default `--node-timeout` for `call`, none for `stream`; 0 for none. */
  readonly deadlineMs?: number;
}

/**
 * The selected nodes.
 *
 * Nothing is read or dialled before the first use. A failing node does not stop the others: after the last
 * answer one `NodesError` names every failed node. Leaving a loop early ends all calls.
 */
export interface Nodes {
  /**
   * Names of the selected nodes, selectors resolved; `[""]` never, the endpoint's address in
   * maintenance mode. Throws `UsageError` when none is selected.
   */
  readonly names: () => Promise<readonly string[]>;
  /** Asks every node once, in parallel; answers in order of arrival. */
  readonly call: <T>(
    ask: (client: NodeClient) => Promise<T>,
    options?: FanOutOptions,
  ) => AsyncGenerator<NodeAnswer<T>>;
  /** Opens a stream to every node; values in order of arrival, in order per node. */
  readonly stream: <T>(
    open: (client: NodeClient) => AsyncIterable<T>,
    options?: FanOutOptions,
  ) => AsyncGenerator<NodeAnswer<T>>;
  /** The one selected node. Throws `UsageError` when several are selected. */
  readonly only: (command: string) => Promise<NodeClient>;
  /**
   * Any node of the cluster, selected or not.
   *
   * @param node Name or address.
   * @param until Ends calls that are under way; default only what ends all.
   */
  readonly at: (node: string, until?: AbortSignal) => Promise<NodeClient>;
  /**
   * A node that may have no configuration any more: asked directly, and neither side shows a certificate the other knows.
   *
   * @param address Where it is; the endpoints do not help to find it.
   */
  readonly unconfigured: (address: string) => Promise<NodeClient>;
  /** The endpoint itself: calls carry no node. */
  readonly endpoint: () => Promise<NodeClient>;
  readonly close: () => void;
}

/** Puts off opening nodes. `open`: opens them; called at most once, on the first use. */
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
