/** A WireGuard tunnel. */

import { base64Length } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import { linkFields, linkRules } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { nanosecondsOf } from "../scalars/duration.ts";
import {
  addressPort,
  duration,
  int,
  integer,
  openText,
  prefix,
  string,
} from "../scalars/scalars.ts";
import type { DocumentKind, Fields } from "../schema.ts";
import { list, struct } from "../shapes.ts";

const publicKey = "1UNy3T45hQoMpXYMGUzTDe5i6pyTxkFTYX5V9x9ow3k=";

const peer: Fields = {
  publicKey: {
    shape: openText,
    required: true,
    summary: "Public key of the peer, 32 bytes in base64",
    examples: [{ value: publicKey }],
  },
  presharedKey: {
    shape: string,
    secret: true,
    summary: "Key that both sides know, 32 bytes in base64",
  },
  endpoint: {
    shape: addressPort,
    summary: "Where the peer is reached first; it may call instead",
    examples: [{ value: "192.0.2.7:51820" }],
  },
  persistentKeepaliveInterval: {
    shape: duration,
    summary: "Time after which an idle tunnel is used to keep it open",
    examples: [{ value: "25s" }],
  },
  allowedIPs: {
    shape: list(prefix),
    summary: "Networks behind the peer",
    examples: [{ value: ["10.8.0.0/16"] }],
  },
};

/** `WireguardConfig`. */
export const wireguard: DocumentKind = {
  kind: "WireguardConfig",
  summary: "A WireGuard tunnel",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Name of the new link",
      examples: [{ value: "wg0" }],
    },
    privateKey: {
      shape: string,
      required: true,
      secret: true,
      summary: "Private key of the node, 32 bytes in base64",
    },
    listenPort: {
      shape: integer(0n, 65535n),
      summary: "UDP port the node listens on; any free one when absent",
      examples: [{ value: 51820 }],
    },
    firewallMark: {
      shape: int,
      summary: "Mark of the tunnel's own packets, for routing rules",
    },
    peers: {
      shape: list(struct(peer)),
      summary: "Who is at the other ends",
    },
    ...linkFields,
  },
  examples: [{
    value: {
      name: "wg0",
      privateKey: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
      listenPort: 51820,
      peers: [{
        publicKey,
        presharedKey: "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=",
        endpoint: "192.0.2.7:51820",
        persistentKeepaliveInterval: "25s",
        allowedIPs: ["10.8.0.0/16"],
      }],
      addresses: [{ address: "10.8.0.1/24" }],
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  yield* keyRules(document.get("privateKey"), "Private key");
  for (const item of document.get("peers").items()) {
    yield* keyRules(item.get("publicKey"), "Public key");
    yield* keyRules(item.get("presharedKey"), "Preshared key");
    const interval = item.get("persistentKeepaliveInterval");
    if ((nanosecondsOf(interval.text() ?? "") ?? 0n) < 0n) {
      yield interval.error(
        `Interval "${interval.text()}" is negative`,
        "Give a positive time, such as 25s",
      );
    }
  }
  yield* linkRules(document);
}

/** Never quotes the key, which may be a secret with one mistake in it. */
function* keyRules(key: Cursor, what: string): Iterable<Problem> {
  const text = key.text() ?? "";
  if (text === "" || base64Length(text) === 32) return;
  const length = base64Length(text);
  yield key.error(
    length === undefined
      ? `${what} is not base64`
      : `${what} has ${length} bytes`,
    "Give 32 bytes in base64, as wg genkey, wg pubkey and wg genpsk write them",
  );
}
