/** Parts of `machine` about the node itself: files, time, disks, devices, logs, kernel. */

import {
  assignment,
  diskSize,
  duration,
  fileMode,
  int,
  openText,
  string,
  u64,
  url,
  words,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, free, list, map, nameField, struct } from "../shapes.ts";

const key: StructShape = struct({
  static: field(
    struct({
      passphrase: field(string, "The passphrase itself", { secret: true }),
    }),
    "A passphrase from the configuration",
    { optional: true },
  ),
  nodeID: field(struct({}), "A key made from the node's identity; weak", {
    optional: true,
  }),
  kms: field(
    struct({
      endpoint: field(openText, "URL of the service", { always: true }),
    }),
    "A key that a service on the network seals",
    { optional: true },
  ),
  slot: field(int, "Place of the key in the volume's header", { always: true }),
  tpm: field(
    struct({
      checkSecurebootStatusOnEnroll: flag(
        "Enrolling fails unless the node booted with Secure Boot",
      ),
    }),
    "A key sealed by the trusted platform module",
    { optional: true },
  ),
});

const encryption: StructShape = struct({
  provider: field(words(["luks2"]), "How the partition is encrypted", {
    always: true,
    initial: "luks2",
  }),
  keys: field(list(key), "Keys, any of which opens the partition", {
    always: true,
    required: true,
  }),
  cipher: field(openText, "Cipher and mode"),
  keySize: field(u64, "Length of the key in bits"),
  blockSize: field(u64, "Size of an encrypted sector in bytes"),
  options: field(list(openText), "Switches of the kernel's encryption layer"),
});

/** Encryption of the system's partitions; a document of its own has taken over. */
export const diskEncryption: StructShape = struct({
  state: field(encryption, "The partition that holds the configuration", {
    optional: true,
  }),
  ephemeral: field(
    encryption,
    "The partition that holds everything else, mounted at /var",
    { optional: true },
  ),
});

const partition: StructShape = struct({
  size: field(diskSize, "Size; the last partition may take what is left"),
  mountpoint: field(openText, "Folder it is mounted at"),
});

/** One of `disks`; a document of its own has taken over. */
export const disk: StructShape = struct({
  device: field(openText, "Disk that is partitioned"),
  partitions: field(list(partition), "Its partitions, in order"),
});

/** One of `files`. */
export const file: StructShape = struct({
  content: field(string, "What is in the file", {
    always: true,
    example: "server = 192.0.2.53\n",
  }),
  permissions: field(fileMode, "Permissions, octal", {
    always: true,
    example: 0o644,
  }),
  path: field(
    openText,
    "Absolute path, below /var unless the file exists already",
    { always: true, example: "/var/etc/example.conf" },
  ),
  op: field(
    words(["create", "append", "overwrite"]),
    "What is done with a file that may exist already",
    { always: true, example: "create" },
  ),
});

/** Where the time comes from; a document of its own has taken over. */
export const time: StructShape = struct({
  disabled: flag("The clock is not set"),
  servers: field(list(openText), "Time servers"),
  bootTimeout: field(
    duration,
    "How long booting waits for the time; no end when absent",
  ),
});

/** Rules for devices. */
export const udev: StructShape = struct({
  rules: field(list(string), "Lines of a rules file", {
    example: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"'],
  }),
});

const destination: StructShape = struct({
  endpoint: field(url, "Where logs are sent, over TCP or UDP", {
    always: true,
    optional: true,
    required: true,
    examples: [
      { value: "udp://192.0.2.10:5514" },
      { value: "tcp://[2001:db8::10]:5514" },
    ],
  }),
  format: field(words(["json_lines"]), "How logs are written", {
    always: true,
    example: "json_lines",
  }),
  extraTags: field(map(string), "Fields added to every message", {
    example: { site: "north", rack: "17" },
  }),
});

/** Logs of services. */
export const logging: StructShape = struct({
  destinations: field(list(destination), "Where logs of services are sent", {
    always: true,
    example: [{
      endpoint: "udp://192.0.2.10:5514",
      format: "json_lines",
      extraTags: { site: "north" },
    }],
  }),
});

const kernelModule: StructShape = struct({
  name: nameField("Name of the module", "nbd"),
  parameters: field(list(assignment), "Parameters of the module", {
    example: ["nbds_max=32"],
  }),
});

/** The kernel. */
export const kernel: StructShape = struct({
  modules: field(list(kernelModule), "Modules loaded at boot", {
    example: [{ name: "nbd", parameters: ["nbds_max=32"] }],
  }),
});

/** One of `seccompProfiles`. */
export const seccompProfile: StructShape = struct({
  name: nameField("Name of the file that pods refer to", "log-all.json"),
  value: field(free, "The profile", {
    always: true,
    example: { defaultAction: "SCMP_ACT_LOG" },
  }),
});
