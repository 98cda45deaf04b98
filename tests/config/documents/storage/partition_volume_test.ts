import {
  rawVolume,
  swapVolume,
} from "../../../../config/documents/storage/partition_volume.ts";
import { testRules } from "../_rules.ts";

const diskSelector = { match: "!system_disk" };

for (const kind of [rawVolume, swapVolume]) {
  testRules(kind, [
    {
      title: "a disk and a size are enough",
      value: { name: "a", provisioning: { diskSelector, maxSize: "50%" } },
      problems: [],
    },
    {
      title: "a disk and a size are wanted",
      value: { name: "a" },
      problems: [
        'provisioning.diskSelector.match: "diskSelector" is missing',
        'provisioning: Neither "minSize" nor "maxSize" is given',
      ],
    },
    {
      title: "encryption is checked",
      value: {
        name: "a",
        provisioning: { diskSelector, minSize: "1GiB" },
        encryption: { provider: "luks2" },
      },
      problems: ['encryption.keys: Encryption "luks2" has no keys'],
    },
  ]);
}
