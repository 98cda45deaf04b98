/** Order of disrupted nodes: the endpoint to the others goes last. */

import { OsctlError } from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import { type Member, memberNamed } from "../../transport/node/members.ts";
import type { Verdict } from "./operation.ts";

interface NodeRoutes {
  readonly names: readonly string[];
  /** Endpoints of the client configuration, as written. */
  readonly endpoints: readonly string[];
  /** Lists the cluster members; called only when names are not enough. */
  readonly members: () => Promise<readonly Member[]>;
}

/**
 * Finds the node that must come last because the others are reachable only through it.
 *
 * @returns The last of the selected endpoints; `undefined` when another endpoint stays up, or no other node is
 * selected.
 */
export async function lastEndpointNode(
  ways: NodeRoutes,
): Promise<string | undefined> {
  const { names, endpoints } = ways;
  if (names.length < 2 || endpoints.length === 0) return undefined;
  const hosts = endpoints.map((endpoint) => parseEndpoint(endpoint).host);
  let selected = hosts;
  if (!hosts.every((host) => names.includes(host))) {
    const members = await knownMembers(ways);
    selected = hosts.flatMap((host) => nodeAt(host, names, members) ?? []);
  }
  return selected.length < hosts.length
    ? undefined
    : names.findLast((name) => selected.includes(name));
}

/** Members of a cluster; empty if it does not answer: then the order does not matter. */
export async function knownMembers(
  { members }: Pick<NodeRoutes, "members">,
): Promise<readonly Member[]> {
  try {
    return await members();
  } catch (error) {
    if (error instanceof OsctlError) return [];
    throw error;
  }
}

function nodeAt(
  host: string,
  names: readonly string[],
  members: readonly Member[],
): string | undefined {
  if (names.includes(host)) return host;
  const { address = host, hostname = host } = memberNamed(members, host) ?? {};
  return names.find((name) => name === address || name === hostname);
}

interface Barrier {
  /** Marks one as finished. */
  readonly pass: () => void;
  /** Waits for all, or until the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
}

/** Creates a barrier. */
export function barrier(count: number): Barrier {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return {
    pass() {
      if (--left <= 0) resolve();
    },
    wait(signal) {
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
      return promise;
    },
  };
}

/** Counts nodes that are unavailable. */
export interface NodeBudget {
  /** Reports whether the next node has to wait. */
  readonly isFull: () => boolean;
  /** Waits until one more node may be unavailable. Returns the refusal; `undefined` when it may. */
  readonly enter: (signal: AbortSignal) => Promise<Verdict | undefined>;
  /**
   * Marks a node as finished.
   *
   * @param isWell False when it was not seen ready again: it counts as unavailable from then on.
   */
  readonly leave: (isWell: boolean) => void;
}

/** Creates a budget. `most`: maximum number of unavailable nodes. */
export function nodeBudget(most: number): NodeBudget {
  let inside = 0;
  let lost = 0;
  const waiting = new Set<() => void>();

  const isFull = () => inside + lost >= most;

  async function enter(signal: AbortSignal): Promise<Verdict | undefined> {
    while (isFull()) {
      if (inside === 0) {
        const nodes = lost === 1 ? "1 node" : `${lost} nodes`;
        const reason =
          `${nodes} failed or did not come back, which exceeds --max-unavailable ${most}; nothing was sent`;
        return { outcome: "refused", reason };
      }
      if (signal.aborted) {
        const reason = "timed out before its turn; nothing was sent";
        return { outcome: "timed-out", reason };
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      // A leaving node wakes all waiters, and one of them continues.
      await promise;
      waiting.delete(resolve);
    }
    inside++;
    return undefined;
  }

  function leave(isWell: boolean): void {
    inside--;
    if (!isWell) lost++;
    for (const wake of waiting) wake();
  }

  return { isFull, enter, leave };
}

/** Resolves a number of nodes. `text`: `2`, or a share such as `25%`, rounded down with a minimum of 1. */
export function parseNodes(text: string, total: number): number {
  if (!text.endsWith("%")) return Number(text);
  const share = Number(text.slice(0, -1)) * total / 100;
  return Math.max(1, Math.floor(share));
}
