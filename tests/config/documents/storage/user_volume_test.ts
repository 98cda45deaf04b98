import { userVolume } from "../../../../config/documents/storage/user_volume.ts";
import { testRules } from "../_rules.ts";

const diskSelector = { match: "!system_disk" };

testRules(userVolume, [
  {
    title: "a partition has a disk and a size",
    value: { name: "a", provisioning: { diskSelector, minSize: "1GiB" } },
    problems: [],
  },
  {
    title: "a partition without them is refused",
    value: { name: "a", volumeType: "partition" },
    problems: [
      'provisioning.diskSelector.match: "diskSelector" is missing',
      'provisioning: Neither "minSize" nor "maxSize" is given',
    ],
  },
  {
    title: "a whole disk has no size",
    value: {
      name: "a",
      volumeType: "disk",
      provisioning: { diskSelector, minSize: "1GiB" },
    },
    problems: [
      'provisioning.minSize: "minSize" cannot be used with volume type "disk"',
    ],
  },
  {
    title: "a folder needs nothing",
    value: {
      name: "a",
      volumeType: "Directory",
      provisioning: {},
      filesystem: { type: "none" },
      encryption: { provider: "none" },
    },
    problems: [],
  },
  {
    title: "a folder has no disk, file system and encryption of its own",
    value: {
      name: "a",
      volumeType: "directory",
      provisioning: { diskSelector },
      filesystem: { type: "xfs" },
      encryption: { provider: "luks2" },
    },
    problems: [
      'provisioning: "provisioning" cannot be used with volume type "directory"',
      'encryption: "encryption" cannot be used with volume type "directory"',
      'filesystem: "filesystem" cannot be used with volume type "directory"',
    ],
  },
  {
    title: "xfs has quotas, by default too",
    value: {
      name: "a",
      volumeType: "disk",
      provisioning: { diskSelector },
      filesystem: { projectQuotaSupport: true },
    },
    problems: [],
  },
  {
    title: "ext4 has no quotas",
    value: {
      name: "a",
      volumeType: "disk",
      provisioning: { diskSelector },
      filesystem: { type: "ext4", projectQuotaSupport: true },
    },
    problems: [
      'filesystem.projectQuotaSupport: File system "ext4" does not support project quotas',
    ],
  },
  {
    title: "encryption is checked",
    value: {
      name: "a",
      volumeType: "disk",
      provisioning: { diskSelector },
      encryption: { provider: "luks2" },
    },
    problems: ['encryption.keys: Encryption "luks2" has no keys'],
  },
]);
