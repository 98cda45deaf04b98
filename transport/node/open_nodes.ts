import { formatFirst } from "../../lib/text/count.ts";
import { UsageError } from "../../errors.ts";
import type { Transport } from "../call/call.ts";
import type { NodeClient } from "../call/client.ts";
import { withDeadline } from "../call/deadline.ts";
import { fanOut } from "./fan_out.ts";
import {
  allMembers,
  knownMembers,
  type Member,
  memberAddresses,
} from "./members.ts";
import type { FanOutOptions, NodeAnswer, Nodes } from "./nodes.ts";
import {
  type ClientOptions,
  directly,
  type NodeRoute,
  over,
  type RouteOptions,
  throughEndpoints,
} from "../connect/node_route.ts";
import type { Identity } from "../connect/trust.ts";

const defaultAtOnce = 64;

/** Nodes, endpoints and credentials. */
export interface NodesOptions extends RouteOptions {
  /** Endpoints as given by the user; not used in maintenance mode. */
  readonly endpoints: readonly string[];
  /** Nodes as given by the user: names, addresses and selectors. */
  readonly nodes: readonly string[];
  /** Label selector; default none. */
  readonly labels?: string | undefined;
  /** Certificates of the context; not used in maintenance mode. */
  readonly identity: Identity;
  /** Timeout for each node in milliseconds; 0 for none. */
  readonly nodeTimeoutMs: number;
  /** Set for nodes without a configuration: connected directly, without client certificates. */
  readonly maintenance?: {
    /** Accepted keys: base64 of SHA-256 of SubjectPublicKeyInfo; empty for any. */
    readonly fingerprints: readonly string[];
  } | undefined;
  /** Transport to the endpoints; default one with {@linkcode identity}. */
  readonly transport?: Transport | undefined;
  readonly signal: AbortSignal;
}

/** Opens the selected nodes; connects on first use. */
export function openNodes(options: NodesOptions): Nodes {
  const { signal, endpoints, identity, maintenance, transport } = options;
  const route = maintenance
    ? directly(maintenance.fingerprints, options)
    : transport
    ? over(endpoints, () => transport)
    : throughEndpoints(endpoints, identity, options);
  const bare = maintenance ? route : directly([], options);
  // Streams may pause between messages.
  const silenceMs = 2 * options.nodeTimeoutMs;
  const alone = { signal, unaryMs: options.nodeTimeoutMs, silenceMs };
  const findAddress = memberAddresses(() => listMembers(options, route));
  let resolved: Promise<readonly string[]> | undefined;

  function names(): Promise<readonly string[]> {
    return resolved ??= selectedNames(options, route, client);
  }

  async function* call<T>(
    ask: (client: NodeClient) => Promise<T>,
    { atOnce = defaultAtOnce, deadlineMs = options.nodeTimeoutMs }:
      FanOutOptions = {},
  ): AsyncGenerator<NodeAnswer<T>> {
    const open = async function* (client: NodeClient) {
      yield await ask(client);
    };
    yield* stream(open, { atOnce, deadlineMs });
  }

  async function* stream<T>(
    open: (client: NodeClient) => AsyncIterable<T>,
    { atOnce = Infinity, deadlineMs = 0 }: FanOutOptions = {},
  ): AsyncGenerator<NodeAnswer<T>> {
    const nodes = await names();
    route.check(nodes);
    const openNode = (node: string, signal: AbortSignal) =>
      within(
        { signal, deadlineMs },
        async function* (signal) {
          yield* open(await client(node, { signal, silenceMs }));
        },
      );
    yield* fanOut({ nodes, open: openNode, atOnce, signal });
  }

  async function client(
    node: string,
    limits: ClientOptions,
  ): Promise<NodeClient> {
    // Names of directly connected nodes are resolved on this machine.
    if (maintenance) return route.node(node, limits);
    return route.node(node, { ...limits, address: await findAddress(node) });
  }

  async function only(command: string): Promise<NodeClient> {
    const [node = "", ...others] = await names();
    if (others.length === 0) return await client(node, alone);
    const count = others.length + 1;
    throw new UsageError(
      `Command "${command}" works on one node, and ${count} are selected`,
      { hint: "Choose one with --nodes" },
    );
  }

  async function endpoint(): Promise<NodeClient> {
    return route.endpoint(maintenance ? await names() : [], alone);
  }

  const at: Nodes["at"] = (node, until = signal) => {
    const either = until === signal ? signal : AbortSignal.any([signal, until]);
    return client(node, { ...alone, signal: either });
  };

  const pinned: NodeRoute[] = [];
  const unconfigured: Nodes["unconfigured"] = (address, fingerprints = []) => {
    const own = fingerprints.length === 0
      ? bare
      : directly(fingerprints, options);
    if (own !== bare) pinned.push(own);
    return Promise.resolve(own.node(address, alone));
  };

  function close(): void {
    route.close();
    bare.close();
    pinned.forEach((one) => one.close());
  }

  return { names, call, stream, only, at, unconfigured, endpoint, close };
}

/** Resolves the selected nodes, filtered by labels. */
async function selectedNames(
  options: NodesOptions,
  route: NodeRoute,
  client: (node: string, options: ClientOptions) => Promise<NodeClient>,
): Promise<readonly string[]> {
  const { labels, maintenance } = options;
  if (labels === undefined) return await nodeNames(options, route);
  if (maintenance) {
    throw new UsageError(
      `Selector "${labels}" needs a cluster, and these nodes are in none yet`,
      { hint: "Use node addresses" },
    );
  }
  // Loaded on demand: label selectors are rare.
  const { labelledNodes } = await import("./label_selector.ts");
  // The notice follows once the matching nodes are known.
  const all = await nodeNames({ ...options, note() {} }, route);
  return await labelledNodes(labels, all, {
    ...options,
    endpoint: (signal) => route.endpoint([], { signal }),
    node: (node, signal) => client(node, { signal }),
  });
}

async function nodeNames(
  options: NodesOptions,
  route: NodeRoute,
): Promise<readonly string[]> {
  const { nodes, note, maintenance } = options;
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
      { hint: "Use node addresses" },
    );
  }
  nodes.filter(isSelector).forEach(checkSelector);
  const members = await listMembers(options, route);
  const expanded = nodes.flatMap((node) => {
    if (!isSelector(node)) return [node];
    const addresses = matchSelector(node, members);
    note(`${node}: ${formatFirst(addresses, ", ", 5)}`);
    return addresses;
  });
  return [...new Set(expanded)];
}

/** Lists the members known to an endpoint, with the timeout for one node. */
async function listMembers(
  { signal: given, nodeTimeoutMs: deadlineMs }: NodesOptions,
  route: NodeRoute,
): Promise<readonly Member[]> {
  const { signal, clear } = withDeadline({ signal: given, deadlineMs });
  return await knownMembers(route.endpoint([], { signal })).finally(clear);
}

/** Rejects names that an endpoint would reject or treat as empty. */
function checkName(node: string): void {
  const wrong = node === ""
    ? "it is empty"
    : /^[^:]*:\d*$|^\[.*\]/.test(node)
    ? "it has a port"
    : undefined;
  if (wrong === undefined) return;
  throw new UsageError(`Cannot use node "${node}": ${wrong}`, {
    hint: "Use an address or host name alone; ports belong in --endpoints",
  });
}

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

const selectors: Readonly<Record<string, (member: Member) => boolean>> = {
  "@all": () => true,
  "@controlplane": (member) => member.controlPlane,
  "@workers": (member) => !member.controlPlane,
};

/** True for a selector, false for a node. */
export function isSelector(node: string): boolean {
  return node.startsWith("@");
}

/** Validates a selector. `selector`: starts with `@`. Throws `UsageError` if it does not. */
export function checkSelector(selector: string): void {
  if (Object.hasOwn(selectors, selector)) return;
  const known = Object.keys(selectors).join(", ");
  throw new UsageError(`Unknown node selector "${selector}"`, {
    hint: `Known selectors: ${known}`,
  });
}

/**
 * Resolves a selector. Returns addresses in the order of the members. Throws `UsageError` if no node matches.
 * Throws `OsctlError` if it includes workers, and workers may be missing.
 */
function matchSelector(
  selector: string,
  members: readonly Member[],
): readonly string[] {
  const matches = selectors[selector] ?? (() => false);
  if (selector !== "@controlplane") {
    allMembers(members, "Use node addresses");
  }
  const addresses = members.filter(matches).map(({ address }) => address);
  if (addresses.length === 0) {
    throw new UsageError(`No member of the cluster matches "${selector}"`, {
      hint: "See the members with: osctl get members",
    });
  }
  return addresses;
}
