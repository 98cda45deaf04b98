/** Settings of network cards. */

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
  summary: "Features, buffers, queues and wake-up of a network card",
  named: true,
  since: "1.10",
  fields: {
    name: nameField("Name or alias of the link", "enp0s3"),
    features: field(
      map(boolean),
      "Offloads and other features by name, on or off",
      { example: { "tx-tcp-segmentation": false } },
    ),
    rings: field(
      struct({
        rx: perhaps(u32, "Slots for received packets"),
        tx: perhaps(u32, "Slots for packets to send"),
        "rx-mini": perhaps(u32, "Slots for short received packets"),
        "rx-jumbo": perhaps(u32, "Slots for long received packets"),
        "rx-buf-len": perhaps(u32, "Bytes of one buffer for received packets"),
        "cqe-size": perhaps(u32, "Bytes of an entry in the completion queue"),
        "tx-push": perhaps(boolean, "Packets are pushed to the card to send"),
        "rx-push": perhaps(boolean, "The card pushes received packets"),
        "tx-push-buf-len": perhaps(u32, "Bytes of one buffer for pushing"),
        "tcp-data-split": perhaps(
          boolean,
          "Headers and data of TCP go to separate buffers",
        ),
      }),
      "Sizes of the ring buffers",
      { optional: true, example: { rx: 256, tx: 256 } },
    ),
    channels: field(
      struct({
        rx: perhaps(u32, "Queues that only receive"),
        tx: perhaps(u32, "Queues that only send"),
        other: perhaps(u32, "Queues for other events"),
        combined: perhaps(u32, "Queues that receive and send"),
      }),
      "Numbers of queues",
      { optional: true, example: { combined: 4 } },
    ),
    wakeOnLan: field(
      list(wakeUps),
      "What wakes the machine up; nothing when empty",
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
