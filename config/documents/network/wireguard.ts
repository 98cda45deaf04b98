import { base64Length } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import { linkFields, linkRules } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { parseNanoseconds } from "../scalars/duration.ts";
import { example32Bytes, exampleOther32Bytes } from "../example_material.ts";
import { documentKind } from "../table.ts";

export const wireguard = documentKind(rules)`
WireguardConfig | named, since 1.12, group links | A WireGuard link
  = {"name": "wg0", "privateKey": "${example32Bytes}", "listenPort": 51820,
    "peers": [{"publicKey": "1UNy3T45hQoMpXYMGUzTDe5i6pyTxkFTYX5V9x9ow3k=",
    "presharedKey": "${exampleOther32Bytes}", "endpoint": "192.0.2.7:51820",
    "persistentKeepaliveInterval": "25s", "allowedIPs": ["10.8.0.0/16"]}],
    "addresses": [{"address": "10.8.0.1/24"}]}
  name                         | text, always | Name of the new link | "wg0"
  privateKey                   | string, required, secret | Private key of the node, 32 bytes in base64
  listenPort                   | integer(0 65535) | UDP port to listen on; default any free port | 51820
  firewallMark                 | int | Firewall mark of packets the tunnel sends
  peers                        | list(struct) | WireGuard peers
    publicKey                  | text, required | Public key of the peer, 32 bytes in base64
      = "1UNy3T45hQoMpXYMGUzTDe5i6pyTxkFTYX5V9x9ow3k="
    presharedKey               | string, secret | Preshared key, 32 bytes in base64
    endpoint                   | addressPort | Endpoint of the peer; omit if only the peer connects
      = "192.0.2.7:51820"
    persistentKeepaliveInterval | duration | Interval between keepalive packets | "25s"
    allowedIPs                 | list(prefix) | Networks routed to the peer | ["10.8.0.0/16"]
  ...${linkFields}
`;

function* rules(document: Cursor): Iterable<Problem> {
  yield* keyRules(document.get("privateKey"), "Private key");
  for (const item of document.get("peers").items()) {
    yield* keyRules(item.get("publicKey"), "Public key");
    yield* keyRules(item.get("presharedKey"), "Preshared key");
    const interval = item.get("persistentKeepaliveInterval");
    if ((parseNanoseconds(interval.text() ?? "") ?? 0n) < 0n) {
      yield interval.error(
        `Interval "${interval.text()}" is negative`,
        "Give a positive time, such as 25s",
      );
    }
  }
  yield* linkRules(document);
}

/** Never quotes the key: it may be a misspelled secret. */
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
