import type { NodeClient } from "../call/client.ts";

/** One value from one node. */
export interface NodeAnswer<T> {
  readonly node: string;
  readonly value: T;
}

/** Other nodes than the selected ones, or the same over other connections. */
export interface Selection {
  readonly nodes: readonly string[];
  /** Endpoints in addition to those of the context. */
  readonly alsoAt: readonly string[];
  /** Timeout for each request to a node, in milliseconds. */
  readonly nodeTimeoutMs: number;
  /** Accepted server certificate fingerprints in maintenance mode; default those of the command line. */
  readonly fingerprints?: readonly string[];
}

/** Limits of a fan-out. */
export interface FanOutOptions {
  /** Concurrency, default 64 for unary calls and unlimited for streams. */
  readonly atOnce?: number;
  /** Timeout for each node in milliseconds; default `--node-timeout` for `call`, none for `stream`; 0 for none. */
  readonly deadlineMs?: number;
}

/**
 * The selected nodes.
 *
 * Connections are opened on first use. A failing node does not stop the others: after the last answer, a
 * `NodesError` lists every failed node. Leaving a loop early cancels all calls.
 */
export interface Nodes {
  /**
   * Names of the selected nodes, selectors resolved; `[""]` never, the endpoint's address in
   * maintenance mode. Throws `UsageError` when none is selected.
   */
  readonly names: () => Promise<readonly string[]>;
  /** Calls every node once, in parallel; yields answers in order of arrival. */
  readonly call: <T>(
    ask: (client: NodeClient) => Promise<T>,
    options?: FanOutOptions,
  ) => AsyncGenerator<NodeAnswer<T>>;
  /** Opens a stream to every node; yields values in order of arrival, in order per node. */
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
   * @param until Cancels pending calls; default only the signal of all nodes.
   */
  readonly at: (node: string, until?: AbortSignal) => Promise<NodeClient>;
  /**
   * A node that may no longer have a configuration: connected directly, without certificate verification on
   * either side.
   *
   * @param address Address of the node; endpoints are not used.
   * @param fingerprints Accepted server certificate fingerprints; default any.
   */
  readonly unconfigured: (
    address: string,
    fingerprints?: readonly string[],
  ) => Promise<NodeClient>;
  /** The endpoint itself: calls carry no node. */
  readonly endpoint: () => Promise<NodeClient>;
  readonly close: () => void;
}

/** Opens nodes lazily. `open`: called at most once, on first use. */
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
    unconfigured: async (...given) =>
      await (await nodes()).unconfigured(...given),
    endpoint: async () => await (await nodes()).endpoint(),
    close() {
      // A failure to open was already thrown to the caller.
      opened?.then((open) => open.close(), () => {});
    },
  };
}
