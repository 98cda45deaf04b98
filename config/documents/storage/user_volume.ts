import type { Cursor } from "../cursor.ts";
import { encryption, encryptionRules, isUnencrypted } from "./encryption.ts";
import { maintenance, maintenanceRules, xfs } from "./maintenance.ts";
import type { Problem } from "../problem.ts";
import {
  isUnprovisioned,
  partitionNameRules,
  provisioning,
  provisioningRules,
} from "./provisioning.ts";
import { documentKind } from "../table.ts";

export const userVolume = documentKind(rules)`
UserVolumeConfig | named, since 1.10, group volumes | A user volume, mounted at /var/mnt/<name>
  = A partition | {"name": "local-storage", "volumeType": "partition",
    "provisioning": {"diskSelector": {"match": "disk.transport == \"nvme\" && !system_disk"}, "grow": true,
    "minSize": "10GiB", "maxSize": "100GiB"}, "filesystem": {"type": "xfs", "projectQuotaSupport": true},
    "encryption": {"provider": "luks2", "keys": [{"slot": 0,
    "static": {"passphrase": "correct horse battery staple"}, "lockToState": true}],
    "cipher": "aes-xts-plain64", "keySize": 256, "blockSize": 4096, "options": ["no_read_workqueue",
    "no_write_workqueue"]}}
  = A whole disk | {"name": "archive", "volumeType": "disk",
    "provisioning": {"diskSelector": {"match": "disk.rotational"}}, "filesystem": {"type": "ext4"}}
  = A directory on the EPHEMERAL volume | {"name": "scratch", "volumeType": "directory"}
  name                  | text, always | Name of the volume and its mount point | "local-storage"
  volumeType            | choice(partition disk directory), optional, default partition, since 1.12 | Volume type
    = "disk"
  ...${provisioning}
  filesystem            | struct | File system of the volume | {"type": "xfs", "projectQuotaSupport": true}
    type                | choice(none xfs ext4 btrfs), default xfs, newer btrfs=1.14 | File system type | "ext4"
    projectQuotaSupport | boolean, optional, since 1.11 | Whether to enable project quotas; xfs only
    ...${xfs}
  ...${encryption}
  mount                 | struct, since 1.13 | Mount options
    disableAccessTime   | boolean, optional, default false | Disables access time updates
    secure              | boolean, optional, default true | Mounts with nosuid, nodev and noexec
  ...${maintenance}
`;

function* rules(document: Cursor): Iterable<Problem> {
  yield* partitionNameRules(document);
  yield* maintenanceRules(document);
  const kind = document.get("volumeType").text()?.toLowerCase();
  if (kind === "directory") {
    yield* directoryRules(document);
    return;
  }
  yield* provisioningRules(document.get("provisioning"), {
    required: true,
    sized: kind !== "disk",
  });
  yield* filesystemRules(document.get("filesystem"));
  yield* encryptionRules(document.get("encryption"));
}

function* directoryRules(document: Cursor): Iterable<Problem> {
  const without = {
    provisioning: isUnprovisioned,
    encryption: isUnencrypted,
    filesystem: isUnformatted,
    mount: (block: Cursor) =>
      block.entries().every(([, { node }]) => node === undefined),
  };
  for (const [key, isAbsent] of Object.entries(without)) {
    const block = document.get(key);
    if (isAbsent(block)) continue;
    yield block.error(
      `"${key}" cannot be used with volume type "directory"`,
      "Remove it, or choose another type",
    );
  }
}

function* filesystemRules(block: Cursor): Iterable<Problem> {
  const quota = block.get("projectQuotaSupport");
  const kind = readFilesystem(block);
  const xfs = block.get("xfs");
  if (xfs.node !== undefined && kind !== "none" && kind !== "xfs") {
    yield xfs.error(
      `Settings of xfs are given for file system "${kind}"`,
      'Remove "xfs", or choose the type "xfs"',
    );
  }
  if (quota.truth() === true && kind !== "none" && kind !== "xfs") {
    yield quota.error(
      `File system "${kind}" does not support project quotas`,
      'Remove "projectQuotaSupport", or choose "xfs"',
    );
  }
}

function isUnformatted(block: Cursor): boolean {
  return readFilesystem(block) === "none" &&
    block.get("projectQuotaSupport").node === undefined &&
    block.get("xfs").node === undefined;
}

function readFilesystem(block: Cursor): string {
  return (block.get("type").text() || "none").toLowerCase();
}
