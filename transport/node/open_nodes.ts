/** The selected nodes, over real connections. */

import { UsageError } from "../../errors.ts";
import type { Transport } from "../call/call.ts";
import type { NodeClient } from "../call/client.ts";
import { withDeadline } from "../call/deadline.ts";
import { fanOut } from "./fan_out.ts";
import { knownMembers } from "./members.ts";
import type { Answer, FanOutOptions, Nodes } from "./nodes.ts";
import {
  directly,
  over,
  type Reach,
  type ReachOptions,
  throughEndpoints,
} from "../connect/node_route.ts";
import { checkSelector, isSelector, selected } from "./selectors.ts";
import type { Identity } from "../connect/trust.ts";

/** Nodes asked at once by unary calls. */
const defaultAtOnce = 64;

/** Which nodes, through which endpoints, and who asks. */
export interface NodesOptions extends ReachOptions {
  /** Endpoints as written; not used in maintenance mode. */
  readonly endpoints: readonly string[];
  /** Nodes as written: names, addresses and selectors. */
  readonly nodes: readonly string[];
  /** Certificates of the context; not used in maintenance mode. */
  readonly identity: Identity;
  /** Longest time of one node in milliseconds; 0 for none. */
  readonly nodeTimeoutMs: number;
  /** Set for nodes that have no configuration yet: asked directly, none of the certificates used. */
  readonly maintenance?: {
    /** Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any. */
    readonly fingerprints: readonly string[];
  } | undefined;
  /** What carries the calls through the endpoints; default one that shows {@linkcode identity}. */
  readonly transport?: Transport | undefined;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
}

/**
 * Opens the selected nodes; nothing is sent before the first use.
 *
 * @param options Which nodes, and how they are reached.
 */
export function openNodes(options: NodesOptions): Nodes {
  const { signal, endpoints, identity, maintenance, transport } = options;
  const reach = maintenance
    ? directly(maintenance.fingerprints, options)
    : transport
    ? over(endpoints, () => transport)
    : throughEndpoints(endpoints, identity, options);
  const bare = maintenance ? reach : directly([], options);
  // What is sent piece by piece may take breath between the pieces.
  const silenceMs = 2 * options.nodeTimeoutMs;
  const alone = { signal, unaryMs: options.nodeTimeoutMs, silenceMs };
  let resolved: Promise<readonly string[]> | undefined;

  function names(): Promise<readonly string[]> {
    return resolved ??= nodeNames(options, reach);
  }

  async function* call<T>(
    ask: (client: NodeClient) => Promise<T>,
    { atOnce = defaultAtOnce, deadlineMs = options.nodeTimeoutMs }:
      FanOutOptions = {},
  ): AsyncGenerator<Answer<T>> {
    const open = async function* (client: NodeClient) {
      yield await ask(client);
    };
    yield* stream(open, { atOnce, deadlineMs });
  }

  async function* stream<T>(
    open: (client: NodeClient) => AsyncIterable<T>,
    { atOnce = Infinity, deadlineMs = 0 }: FanOutOptions = {},
  ): AsyncGenerator<Answer<T>> {
    const nodes = await names();
    reach.check(nodes);
    const openNode = (node: string, signal: AbortSignal) =>
      within(
        { signal, deadlineMs },
        (signal) => open(reach.node(node, { signal, silenceMs })),
      );
    yield* fanOut({ nodes, open: openNode, atOnce, signal });
  }

  async function only(command: string): Promise<NodeClient> {
    const [node = "", ...others] = await names();
    if (others.length === 0) return reach.node(node, alone);
    const count = others.length + 1;
    throw new UsageError(
      `Command "${command}" works on one node, and ${count} are selected`,
      { hint: "Choose one with --nodes" },
    );
  }

  async function endpoint(): Promise<NodeClient> {
    return reach.endpoint(maintenance ? await names() : [], alone);
  }

  const at: Nodes["at"] = (node, until = signal) => {
    const either = until === signal ? signal : AbortSignal.any([signal, until]);
    return Promise.resolve(reach.node(node, { ...alone, signal: either }));
  };

  const unconfigured = (address: string) =>
    Promise.resolve(bare.node(address, alone));

  function close(): void {
    reach.close();
    bare.close();
  }

  return { names, call, stream, only, at, unconfigured, endpoint, close };
}

/** Finds the nodes that are meant, each once. */
async function nodeNames(
  options: NodesOptions,
  reach: Reach,
): Promise<readonly string[]> {
  const { nodes, note, maintenance, nodeTimeoutMs: deadlineMs } = options;
  if (nodes.length === 0) {
    throw new UsageError("No nodes are selected", {
      hint:
        "Use --nodes, or set them in the context with: osctl config node ADDRESS",
    });
  }
  if (!maintenance) nodes.forEach(checkName);
  const [selector] = nodes.filter(isSelector);
  if (selector === undefined) return [...new Set(nodes)];
  if (maintenance) {
    throw new UsageError(
      `Selector "${selector}" needs a cluster, and these nodes are in none yet`,
      { hint: "Name the nodes by their addresses" },
    );
  }
  nodes.filter(isSelector).forEach(checkSelector);
  const { signal, clear } = withDeadline({ ...options, deadlineMs });
  const members = await knownMembers(reach.endpoint([], { signal }))
    .finally(clear);
  const expanded = nodes.flatMap((node) => {
    if (!isSelector(node)) return [node];
    const addresses = selected(node, members);
    note(`${node}: ${addresses.join(", ")}`);
    return addresses;
  });
  return [...new Set(expanded)];
}

/** Refuses names that an endpoint could only refuse, or take for none. */
function checkName(node: string): void {
  const wrong = node === ""
    ? "it is empty"
    : /^[^:]*:\d*$|^\[.*\]/.test(node)
    ? "a node has no port"
    : undefined;
  if (wrong === undefined) return;
  throw new UsageError(`Cannot use node "${node}": ${wrong}`, {
    hint: "Name it by address or host name; ports belong to --endpoints",
  });
}

/** Passes on what is opened, until the deadline. */
async function* within<T>(
  options: { readonly signal: AbortSignal; readonly deadlineMs: number },
  open: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { signal, clear } = withDeadline(options);
  try {
    yield* open(signal);
  } finally {
    clear();
  }
}
