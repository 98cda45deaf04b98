import type { Cursor } from "../cursor.ts";
import { encryption, encryptionRules, isUnencrypted } from "./encryption.ts";
import {
  disableAccessTime,
  maintenance,
  maintenanceRules,
  secure,
  xfs,
} from "./maintenance.ts";
import type { Problem } from "../problem.ts";
import {
  isUnprovisioned,
  partitionNameRules,
  provisioning,
  provisioningRules,
} from "./provisioning.ts";
import { boolean, choice } from "../scalars/scalars.ts";
import type { DocumentKind, Field } from "../schema.ts";
import { field, nameField, struct } from "../shapes.ts";

const filesystem: Field = field(
  struct({
    type: field(
      choice(["none", "xfs", "ext4"], { insensitive: true }),
      "File system type",
      { initial: "xfs", example: "ext4" },
    ),
    projectQuotaSupport: field(
      boolean,
      "Whether to enable project quotas; xfs only",
      { optional: true, since: "1.11" },
    ),
    xfs,
  }),
  "File system of the volume",
  { example: { type: "xfs", projectQuotaSupport: true } },
);

/** `UserVolumeConfig`. */
export const userVolume: DocumentKind = {
  kind: "UserVolumeConfig",
  summary: "A user volume, mounted at /var/mnt/<name>",
  named: true,
  since: "1.10",
  group: "volumes",
  fields: {
    name: nameField("Name of the volume and its mount point", "local-storage"),
    volumeType: field(
      choice(["partition", "disk", "directory"], { insensitive: true }),
      "Volume type",
      { optional: true, since: "1.12", initial: "partition", example: "disk" },
    ),
    provisioning,
    filesystem,
    encryption,
    mount: field(
      struct({ disableAccessTime, secure }),
      "Mount options",
      { since: "1.13" },
    ),
    ...maintenance,
  },
  examples: [
    {
      title: "A partition",
      value: {
        name: "local-storage",
        volumeType: "partition",
        provisioning: {
          diskSelector: { match: 'disk.transport == "nvme" && !system_disk' },
          grow: true,
          minSize: "10GiB",
          maxSize: "100GiB",
        },
        filesystem: { type: "xfs", projectQuotaSupport: true },
        encryption: {
          provider: "luks2",
          keys: [{
            slot: 0,
            static: { passphrase: "correct horse battery staple" },
            lockToState: true,
          }],
          cipher: "aes-xts-plain64",
          keySize: 256,
          blockSize: 4096,
          options: ["no_read_workqueue", "no_write_workqueue"],
        },
      },
    },
    {
      title: "A whole disk",
      value: {
        name: "archive",
        volumeType: "disk",
        provisioning: { diskSelector: { match: "disk.rotational" } },
        filesystem: { type: "ext4" },
      },
    },
    {
      title: "A directory on the EPHEMERAL volume",
      value: { name: "scratch", volumeType: "directory" },
    },
  ],
  rules,
};

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
  const kind = filesystemOf(block);
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
  return filesystemOf(block) === "none" &&
    block.get("projectQuotaSupport").node === undefined &&
    block.get("xfs").node === undefined;
}

function filesystemOf(block: Cursor): string {
  return (block.get("type").text() || "none").toLowerCase();
}
