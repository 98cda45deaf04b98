/** `machine.systemDiskEncryption`. */

import { int, openText, string, u64, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

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
