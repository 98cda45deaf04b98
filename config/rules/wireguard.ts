/** WireGuard settings of an interface of `machine.network.interfaces`. */

import {
  addressFamily,
  base64Length,
  splitHostPort,
} from "../documents/checks.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isCidr } from "./checks.ts";
import { isGiven, textOf, textsOf } from "./texts.ts";

const keyHint = "Write the 32 bytes of the key in base64";

/** Keys have the right length, peers can be reached. */
export function* wireguardRules(wireguard: Cursor): Iterable<Problem> {
  if (!isGiven(wireguard)) return;
  const key = wireguard.get("privateKey");
  if (base64Length(textOf(key)) !== 32) {
    // Without the value: it may be a real key with a character too much.
    yield key.error("The private key is not 32 bytes in base64", keyHint);
  }
  for (const peer of wireguard.get("peers").items()) yield* peerRules(peer);
}

function* peerRules(peer: Cursor): Iterable<Problem> {
  if (!isGiven(peer)) {
    yield peer.error("A peer is empty", "Fill it in, or remove it");
    return;
  }
  const key = peer.get("publicKey");
  if (base64Length(textOf(key)) !== 32) {
    yield key.error(
      `Public key "${textOf(key)}" is not 32 bytes in base64`,
      keyHint,
    );
  }
  const endpoint = peer.get("endpoint");
  if (textOf(endpoint) !== "" && !hasPort(textOf(endpoint))) {
    yield endpoint.error(
      `Peer endpoint "${textOf(endpoint)}" has no port`,
      "Write it as HOST:51820, an IPv6 address as [fd00::1]:51820",
    );
  }
  for (const [place, network] of textsOf(peer.get("allowedIPs"))) {
    if (isCidr(network)) continue;
    yield place.error(
      `Allowed network "${network}" is not in CIDR notation`,
      "Write a network such as 10.0.0.0/8, a single address as 10.0.0.1/32",
    );
  }
}

function hasPort(endpoint: string): boolean {
  const host = splitHostPort(endpoint)?.host;
  return host !== undefined &&
    (!host.includes(":") || addressFamily(host) === 6);
}
