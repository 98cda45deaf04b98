/** Telling that an endpoint is not one node but leads to several. */

import type { Endpoint } from "./endpoint.ts";

/** What is known of a connection. */
export interface Reached {
  /** Where it was to lead. */
  readonly endpoint: Endpoint;
  /** Name in the certificate of who answered. */
  readonly peerName: string | undefined;
}

/**
 * Watches who answers at each endpoint.
 *
 * A virtual IP or a load balancer shows when connecting again leads to another node. What a long operation did
 * before is then unknown to who answers now.
 *
 * @param note Tells the user, once per endpoint.
 * @returns To be called with every new connection.
 */
export function moveNotice(
  note: (text: string) => void,
): (reached: Reached) => void {
  const names = new Map<string, string>();
  const noted = new Set<string>();
  return ({ endpoint: { text }, peerName }) => {
    if (peerName === undefined) return;
    const before = names.get(text);
    names.set(text, peerName);
    if (before === undefined || before === peerName || noted.has(text)) return;
    noted.add(text);
    note(
      `warning: Endpoint "${text}" leads to different nodes, "${before}" before and "${peerName}" now: use the addresses of nodes as endpoints`,
    );
  };
}
