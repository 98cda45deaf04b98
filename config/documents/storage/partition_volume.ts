import type { Cursor } from "../cursor.ts";
import { encryption, encryptionRules } from "./encryption.ts";
import type { Problem } from "../problem.ts";
import {
  partitionNameRules,
  provisioning,
  provisioningRules,
} from "./provisioning.ts";
import { openText } from "../scalars/scalars.ts";
import type { DocumentKind, Field, Fields } from "../schema.ts";
import { field } from "../shapes.ts";

const name: Field = field(
  openText,
  "Name of the volume; the partition label is the name with a prefix",
  { always: true },
);

const blocks: Fields = { provisioning, encryption };

/** `RawVolumeConfig`. */
export const rawVolume: DocumentKind = {
  kind: "RawVolumeConfig",
  summary: "A raw volume: a partition without a file system",
  named: true,
  since: "1.11",
  fields: { name: { ...name, examples: [{ value: "cache" }] }, ...blocks },
  examples: [{
    value: {
      name: "cache",
      provisioning: {
        diskSelector: { match: "!system_disk" },
        minSize: "10GiB",
        maxSize: "20GiB",
      },
      encryption: {
        provider: "luks2",
        keys: [{ slot: 0, kms: { endpoint: "https://kms.example.org:4443" } }],
      },
    },
  }],
  rules,
};

/** `SwapVolumeConfig`. */
export const swapVolume: DocumentKind = {
  kind: "SwapVolumeConfig",
  summary: "A swap partition",
  named: true,
  since: "1.11",
  fields: { name: { ...name, examples: [{ value: "swap1" }] }, ...blocks },
  examples: [{
    value: {
      name: "swap1",
      provisioning: {
        diskSelector: { match: 'disk.transport == "nvme"' },
        minSize: "3GiB",
        maxSize: "4GiB",
      },
      encryption: { provider: "luks2", keys: [{ slot: 0, nodeID: {} }] },
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  yield* partitionNameRules(document);
  yield* provisioningRules(document.get("provisioning"), {
    required: true,
    sized: true,
  });
  yield* encryptionRules(document.get("encryption"));
}
