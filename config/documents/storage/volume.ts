import type { Cursor } from "../cursor.ts";
import { encryption, encryptionRules } from "./encryption.ts";
import { maintenance, maintenanceRules, xfs } from "./maintenance.ts";
import type { Problem } from "../problem.ts";
import {
  isUnprovisioned,
  provisioning,
  provisioningRules,
} from "./provisioning.ts";
import { words } from "../scalars/scalars.ts";
import { documentKind } from "../table.ts";

/** Volumes that are folders of EPHEMERAL unless provisioned separately; since 1.14. */
const promotable = ["ETCD", "CRI", "KUBELET", "LOG"];

const names = ["STATE", "EPHEMERAL", "IMAGECACHE", ...promotable];
const name = words(names);

export const volume = documentKind(rules)`
VolumeConfig | named | Placement, size and encryption of a system volume
  = Pods and images on a separate disk | {"name": "EPHEMERAL",
    "provisioning": {"diskSelector": {"match": "disk.transport == \"nvme\""}, "grow": false,
    "minSize": "20GiB", "maxSize": "50%"}}
  = Encryption bound to the machine's TPM | {"name": "STATE", "encryption": {"provider": "luks2",
    "keys": [{"slot": 0, "tpm": {"options": {"pcrs": [7]}, "checkSecurebootStatusOnEnroll": true}}]}}
  name                | ${name}, always, newer ETCD=1.14 CRI=1.14 KUBELET=1.14 LOG=1.14 | Name of the system volume
    = "EPHEMERAL"
  ...${provisioning}
  filesystem          | struct, since 1.14 | File system of the volume
    ...${xfs}
  ...${encryption} | since 1.11
  mount               | struct, since 1.13 | Mount options; not for STATE and IMAGECACHE
    secure            | boolean, optional, default true | Mounts with nosuid, nodev and noexec
    disableAccessTime | boolean, optional, default false, since 1.14 | Disables access time updates
  ...${maintenance}
`;

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
  yield* mountRules(document, text);
  yield* maintenanceRules(document);
  yield* provisioningRules(document.get("provisioning"), {
    required: false,
    sized: true,
  });
  yield* encryptionRules(document.get("encryption"));
}

function* mountRules(document: Cursor, name: string): Iterable<Problem> {
  const mount = document.get("mount");
  const isGiven = mount.entries().some(([, { node }]) => node !== undefined);
  if (isGiven && ["STATE", "IMAGECACHE"].includes(name)) {
    yield mount.error(
      `Volume "${name}" has fixed mount options`,
      'Remove "mount"',
    );
  }
  if (
    isGiven && promotable.includes(name) &&
    isUnprovisioned(document.get("provisioning"))
  ) {
    yield mount.error(
      `Volume "${name}" is a directory on EPHEMERAL`,
      'Set "provisioning" to give it its own partition, or remove "mount"',
    );
  }
  const filesystem = document.get("filesystem");
  if (name === "IMAGECACHE" && filesystem.get("xfs").node !== undefined) {
    yield filesystem.error(
      'Volume "IMAGECACHE" has no file system settings',
      'Remove "filesystem"',
    );
  }
}

function* stateRules(document: Cursor): Iterable<Problem> {
  const block = document.get("provisioning");
  if (!isUnprovisioned(block)) {
    yield block.error(
      'Volume "STATE" cannot be moved or resized',
      'Remove "provisioning"',
    );
  }
  for (const item of document.get("encryption", "keys").items()) {
    const lock = item.get("lockToState");
    if (lock.truth() === true) {
      yield lock.error(
        'Volume "STATE" cannot be bound to itself',
        'Remove "lockToState"',
      );
    }
  }
}
