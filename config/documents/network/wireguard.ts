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
import { field, list, nameField, struct } from "../shapes.ts";

const publicKey = "1UNy3T45hQoMpXYMGUzTDe5i6pyTxkFTYX5V9x9ow3k=";

const peer: Fields = {
  publicKey: field(openText, "Public key of the peer, 32 bytes in base64", {
    required: true,
    example: publicKey,
  }),
  presharedKey: field(string, "Preshared key, 32 bytes in base64", {
    secret: true,
  }),
  endpoint: field(
    addressPort,
    "Endpoint of the peer; omit if only the peer connects",
    { example: "192.0.2.7:51820" },
  ),
  persistentKeepaliveInterval: field(
    duration,
    "Interval between keepalive packets",
    { example: "25s" },
  ),
  allowedIPs: field(list(prefix), "Networks routed to the peer", {
    example: ["10.8.0.0/16"],
  }),
};

/** `WireguardConfig`. */
export const wireguard: DocumentKind = {
  kind: "WireguardConfig",
  summary: "A WireGuard link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "wg0"),
    privateKey: field(string, "Private key of the node, 32 bytes in base64", {
      required: true,
      secret: true,
    }),
    listenPort: field(
      integer(0n, 65535n),
      "UDP port to listen on; default any free port",
      { example: 51820 },
    ),
    firewallMark: field(
      int,
      "Firewall mark of packets the tunnel sends",
    ),
    peers: field(list(struct(peer)), "WireGuard peers"),
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

/** Never quotes the key, which may be a secret with a typo. */
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
