import type { Cursor } from "../cursor.ts";
import { encryption, encryptionRules } from "./encryption.ts";
import type { Problem } from "../problem.ts";
import {
  partitionNameRules,
  provisioning,
  provisioningRules,
} from "./provisioning.ts";
import { documentKind } from "../table.ts";

export const rawVolume = documentKind(rules)`
RawVolumeConfig | named, since 1.11 | A raw volume: a partition without a file system
  = {"name": "cache", "provisioning": {"diskSelector": {"match": "!system_disk"}, "minSize": "10GiB",
    "maxSize": "20GiB"}, "encryption": {"provider": "luks2", "keys": [{"slot": 0,
    "kms": {"endpoint": "https://kms.example.org:4443"}}]}}
  name | text, always | Name of the volume; the partition label is the name with a prefix | "cache"
  ...${provisioning}
  ...${encryption}
`;

export const swapVolume = documentKind(rules)`
SwapVolumeConfig | named, since 1.11 | A swap partition
  = {"name": "swap1", "provisioning": {"diskSelector": {"match": "disk.transport == \"nvme\""},
    "minSize": "3GiB", "maxSize": "4GiB"}, "encryption": {"provider": "luks2", "keys": [{"slot": 0,
    "nodeID": {}}]}}
  name | text, always | Name of the volume; the partition label is the name with a prefix | "swap1"
  ...${provisioning}
  ...${encryption}
`;

function* rules(document: Cursor): Iterable<Problem> {
  yield* partitionNameRules(document);
  yield* provisioningRules(document.get("provisioning"), {
    required: true,
    sized: true,
  });
  yield* encryptionRules(document.get("encryption"));
}
