/** Order among nodes that are disturbed: the way to the others goes last. */

import { OsctlError } from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import type { Member } from "../../transport/node/members.ts";
import { memberNamed } from "./cluster_view.ts";

/** What is known of the ways to the nodes. */
export interface Ways {
  /** Selected nodes. */
  readonly names: readonly string[];
  /** Endpoints of the client configuration, as written. */
  readonly endpoints: readonly string[];
  /** Lists the members of the cluster; asked only when names do not tell. */
  readonly members: () => Promise<readonly Member[]>;
}

/**
 * Finds the node that has to come last because no other endpoint is left to reach the others through.
 *
 * @returns The last of the selected endpoints; `undefined` when another endpoint stays, or nobody else is selected.
 */
export async function lastWay(ways: Ways): Promise<string | undefined> {
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

/** A cluster that does not answer has no order worth keeping. */
async function knownMembers({ members }: Ways): Promise<readonly Member[]> {
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

/** Where those who were first are waited for. */
export interface Barrier {
  /** Says that one of them has ended. */
  readonly pass: () => void;
  /** Waits until all have, or the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
}

/** Makes a barrier. */
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
