import assert from "node:assert/strict";
import { loadDocuments } from "../../../../config/documents/load.ts";
import { userVolume } from "../../../../config/documents/storage/user_volume.ts";
import { validateDocuments } from "../../../../config/validate.ts";
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

Deno.test("UserVolumeConfig: nodes have btrfs since 1.14", () => {
  const loaded = loadDocuments(
    `
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning: { diskSelector: { match: "!system_disk" }, minSize: 1GiB }
filesystem: { type: btrfs }
`,
    "volume.yaml",
  );
  const problems = (version: "1.13" | "1.14") =>
    validateDocuments(loaded, { mode: "metal", osVersion: version })
      .map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(problems("1.14"), []);
  assert.deepEqual(problems("1.13"), [
    'filesystem.type: Version 1.13 does not support "btrfs"',
  ]);
});
