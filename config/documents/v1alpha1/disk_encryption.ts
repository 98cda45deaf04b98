/** `machine.systemDiskEncryption`. */

import { int, openText, string, u64, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const key: StructShape = struct({
  static: {
    shape: struct({
      passphrase: {
        shape: string,
        summary: "The passphrase itself",
        secret: true,
      },
    }),
    optional: true,
    summary: "A passphrase from the configuration",
  },
  nodeID: {
    shape: struct({}),
    optional: true,
    summary: "A key made from the node's identity; weak",
  },
  kms: {
    shape: struct({
      endpoint: {
        shape: openText,
        always: true,
        summary: "URL of the service",
      },
    }),
    optional: true,
    summary: "A key that a service on the network seals",
  },
  slot: {
    shape: int,
    always: true,
    summary: "Place of the key in the volume's header",
  },
  tpm: {
    shape: struct({
      checkSecurebootStatusOnEnroll: flag(
        "Enrolling fails unless the node booted with Secure Boot",
      ),
    }),
    optional: true,
    summary: "A key sealed by the trusted platform module",
  },
});

const encryption: StructShape = struct({
  provider: {
    shape: words(["luks2"]),
    always: true,
    summary: "How the partition is encrypted",
    initial: "luks2",
  },
  keys: {
    shape: list(key),
    always: true,
    required: true,
    summary: "Keys, any of which opens the partition",
  },
  cipher: { shape: openText, summary: "Cipher and mode" },
  keySize: { shape: u64, summary: "Length of the key in bits" },
  blockSize: { shape: u64, summary: "Size of an encrypted sector in bytes" },
  options: {
    shape: list(openText),
    summary: "Switches of the kernel's encryption layer",
  },
});

/** Encryption of the system's partitions; a document of its own has taken over. */
export const diskEncryption: StructShape = struct({
  state: {
    shape: encryption,
    optional: true,
    summary: "The partition that holds the configuration",
  },
  ephemeral: {
    shape: encryption,
    optional: true,
    summary: "The partition that holds everything else, mounted at /var",
  },
});
