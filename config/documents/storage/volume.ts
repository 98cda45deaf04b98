/** Volumes of the system itself. */

import type { Cursor } from "../cursor.ts";
import { encryption, encryptionRules } from "./encryption.ts";
import type { Problem } from "../problem.ts";
import {
  isUnprovisioned,
  provisioning,
  provisioningRules,
} from "./provisioning.ts";
import { words } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

const names = ["STATE", "EPHEMERAL", "IMAGECACHE"];

/** `VolumeConfig`. */
export const volume: DocumentKind = {
  kind: "VolumeConfig",
  summary: "Placement, size and encryption of a system volume",
  named: true,
  fields: {
    name: field(words(names), "Name of the system volume", {
      always: true,
      example: "EPHEMERAL",
    }),
    provisioning,
    encryption: { ...encryption, since: "1.11" },
  },
  examples: [
    {
      title: "Pods and images on a separate disk",
      value: {
        name: "EPHEMERAL",
        provisioning: {
          diskSelector: { match: 'disk.transport == "nvme"' },
          grow: false,
          minSize: "20GiB",
          maxSize: "50%",
        },
      },
    },
    {
      title: "Encryption bound to the machine's TPM",
      value: {
        name: "STATE",
        encryption: {
          provider: "luks2",
          keys: [{
            slot: 0,
            tpm: {
              options: { pcrs: [7] },
              checkSecurebootStatusOnEnroll: true,
            },
          }],
        },
      },
    },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const name = document.get("name");
  const text = name.text() ?? "";
  if (text !== "" && !names.includes(text)) {
    yield name.error(
      `Volume "${text}" is not a system volume`,
      `Name ${names.join(", ")}, or use UserVolumeConfig for your own volumes`,
    );
  }
  if (text === "STATE") yield* stateRules(document);
  yield* provisioningRules(document.get("provisioning"), {
    required: false,
    sized: true,
  });
  yield* encryptionRules(document.get("encryption"));
}

function* stateRules(document: Cursor): Iterable<Problem> {
  const block = document.get("provisioning");
  if (!isUnprovisioned(block)) {
    yield block.error(
      'Volume "STATE" cannot be moved or resized',
      'Leave "provisioning" out',
    );
  }
  for (const item of document.get("encryption", "keys").items()) {
    const lock = item.get("lockToState");
    if (lock.truth() === true) {
      yield lock.error(
        'Volume "STATE" cannot be bound to itself',
        'Leave "lockToState" out',
      );
    }
  }
}
