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
import {
  field,
  flag,
  free,
  list,
  listWithGaps,
  map,
  nameField,
  struct,
} from "../shapes.ts";

const key: StructShape = struct({
  static: field(
    struct({
      passphrase: field(string, "Passphrase", { secret: true }),
    }),
    "Static passphrase from the configuration",
    { optional: true },
  ),
  nodeID: field(
    struct({}),
    "Key derived from the node's UUID; weak, as it is not a secret",
    {
      optional: true,
    },
  ),
  kms: field(
    struct({
      endpoint: field(openText, "URL of the KMS server", { always: true }),
    }),
    "Random key, sealed by a KMS server",
    { optional: true },
  ),
  slot: field(int, "LUKS key slot", { always: true }),
  tpm: field(
    struct({
      checkSecurebootStatusOnEnroll: flag(
        "Makes key enrollment fail if Secure Boot is off",
      ),
    }),
    "Random key, sealed by the node's TPM",
    { optional: true },
  ),
});

const encryption: StructShape = struct({
  provider: field(words(["luks2"]), "Encryption provider", {
    always: true,
    initial: "luks2",
  }),
  keys: field(
    listWithGaps(key),
    "Encryption keys; any of them unlocks the partition",
    {
      always: true,
      required: true,
    },
  ),
  cipher: field(openText, "Cipher"),
  keySize: field(u64, "Key size, in bits"),
  blockSize: field(u64, "Sector size for encryption, in bytes"),
  options: field(list(openText), "Performance options for dm-crypt"),
});

/** Encryption of the system's partitions; a document of its own has taken over. */
export const diskEncryption: StructShape = struct({
  state: field(
    encryption,
    "Encryption of the STATE partition, which holds the configuration",
    {
      optional: true,
    },
  ),
  ephemeral: field(
    encryption,
    "Encryption of the EPHEMERAL partition, mounted at /var",
    { optional: true },
  ),
});

const partition: StructShape = struct({
  size: field(
    diskSize,
    "Size; omit to use the rest of the disk, last partition only",
  ),
  mountpoint: field(openText, "Mount point"),
});

/** One of `disks`; a document of its own has taken over. */
export const disk: StructShape = struct({
  device: field(openText, "Disk to partition"),
  partitions: field(listWithGaps(partition), "Partitions, in order"),
});

/** One of `files`. */
export const file: StructShape = struct({
  content: field(string, "Contents of the file", {
    always: true,
    example: "server = 192.0.2.53\n",
  }),
  permissions: field(fileMode, "File mode, octal", {
    always: true,
    example: 0o644,
  }),
  path: field(
    openText,
    "Absolute path, below /var unless the file already exists",
    { always: true, example: "/var/etc/example.conf" },
  ),
  op: field(
    words(["create", "append", "overwrite"]),
    "Operation: create, append or overwrite",
    { always: true, example: "create" },
  ),
});

/** Where the time comes from; a document of its own has taken over. */
export const time: StructShape = struct({
  disabled: flag("Disables time synchronization"),
  servers: field(list(openText), "NTP servers"),
  bootTimeout: field(
    duration,
    "How long booting waits for time sync; default no limit",
  ),
});

/** Rules for devices. */
export const udev: StructShape = struct({
  rules: field(list(string), "Custom udev rules", {
    example: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"'],
  }),
});

const destination: StructShape = struct({
  endpoint: field(url, "URL to send logs to, over TCP or UDP", {
    always: true,
    optional: true,
    required: true,
    examples: [
      { value: "udp://192.0.2.10:5514" },
      { value: "tcp://[2001:db8::10]:5514" },
    ],
  }),
  format: field(words(["json_lines"]), "Log format", {
    always: true,
    example: "json_lines",
  }),
  extraTags: field(map(string), "Additional fields for every message", {
    example: { site: "north", rack: "17" },
  }),
});

/** Logs of services. */
export const logging: StructShape = struct({
  destinations: field(list(destination), "Destinations of service logs", {
    always: true,
    example: [{
      endpoint: "udp://192.0.2.10:5514",
      format: "json_lines",
      extraTags: { site: "north" },
    }],
  }),
});

const kernelModule: StructShape = struct({
  name: nameField("Name of the kernel module", "nbd"),
  parameters: field(list(assignment), "Module parameters", {
    example: ["nbds_max=32"],
  }),
});

/** The kernel. */
export const kernel: StructShape = struct({
  modules: field(listWithGaps(kernelModule), "Kernel modules to load", {
    example: [{ name: "nbd", parameters: ["nbds_max=32"] }],
  }),
});

/** One of `seccompProfiles`. */
export const seccompProfile: StructShape = struct({
  name: nameField(
    "File name of the profile, as pods refer to it",
    "log-all.json",
  ),
  value: field(free, "The seccomp profile", {
    always: true,
    example: { defaultAction: "SCMP_ACT_LOG" },
  }),
});
