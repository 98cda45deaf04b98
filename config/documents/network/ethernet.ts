import { boolean, choice, u32 } from "../scalars/scalars.ts";
import type { DocumentKind, Field, ScalarShape } from "../schema.ts";
import { field, list, map, nameField, struct } from "../shapes.ts";

const wakeUps = choice([
  "phy",
  "unicast",
  "multicast",
  "broadcast",
  "magic",
  "magicsecure",
  "filter",
], { insensitive: true });

/** `EthernetConfig`. */
export const ethernet: DocumentKind = {
  kind: "EthernetConfig",
  summary:
    "Ethernet settings of a link: features, ring buffers, channels, Wake-on-LAN",
  named: true,
  since: "1.10",
  fields: {
    name: nameField("Name or alias of the link", "enp0s3"),
    features: field(
      map(boolean),
      "Offloads and other features to turn on or off, by name",
      { example: { "tx-tcp-segmentation": false } },
    ),
    rings: field(
      struct({
        rx: perhaps(u32, "Size of the receive ring"),
        tx: perhaps(u32, "Size of the transmit ring"),
        "rx-mini": perhaps(u32, "Size of the receive ring for small packets"),
        "rx-jumbo": perhaps(u32, "Size of the receive ring for jumbo packets"),
        "rx-buf-len": perhaps(u32, "Length of a receive buffer, in bytes"),
        "cqe-size": perhaps(u32, "Size of a completion queue entry, in bytes"),
        "tx-push": perhaps(boolean, "Enables transmit push mode"),
        "rx-push": perhaps(boolean, "Enables receive push mode"),
        "tx-push-buf-len": perhaps(
          u32,
          "Length of the transmit push buffer, in bytes",
        ),
        "tcp-data-split": perhaps(
          boolean,
          "Enables splitting TCP headers and data into separate buffers",
        ),
      }),
      "Ring buffer settings",
      { optional: true, example: { rx: 256, tx: 256 } },
    ),
    channels: field(
      struct({
        rx: perhaps(u32, "Number of receive channels"),
        tx: perhaps(u32, "Number of transmit channels"),
        other: perhaps(u32, "Number of channels for other interrupts"),
        combined: perhaps(
          u32,
          "Number of combined receive and transmit channels",
        ),
      }),
      "Channel settings",
      { optional: true, example: { combined: 4 } },
    ),
    wakeOnLan: field(
      list(wakeUps),
      "Wake-on-LAN modes; empty to disable",
      { since: "1.12", example: ["magic"] },
    ),
  },
  examples: [{
    value: {
      name: "enp0s3",
      features: { "tx-tcp-segmentation": false },
      rings: { rx: 256, tx: 256 },
      channels: { combined: 4 },
      wakeOnLan: ["magic"],
    },
  }],
};

function perhaps(shape: ScalarShape, summary: string): Field {
  return { shape, optional: true, summary };
}
