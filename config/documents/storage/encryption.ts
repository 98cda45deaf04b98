import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { fieldTable } from "../table.ts";

/** Key `encryption` of volumes. */
export const encryption = fieldTable`
encryption                     | struct | Encryption of the volume; omit for none
  = {"provider": "luks2", "keys": [{"slot": 0, "tpm": {}}]}
  provider                     | choice(none luks2), always | Encryption provider | "luks2"
  keys                         | list(struct), always | Encryption keys; any of them unlocks the volume
    = [{"slot": 0, "tpm": {}}]
    slot                       | int, always | LUKS key slot | 0
    static                     | struct, optional | Static passphrase from the configuration
      passphrase               | string, secret | Passphrase
    nodeID                     | struct, optional | Key derived from the node's UUID; weak, as it is not a secret
      = {}
    kms                        | struct, optional | Random key, sealed by a KMS server
      endpoint                 | text, always | URL of the KMS server | "https://kms.example.org:4443"
    tpm                        | struct, optional | Random key, sealed by the node's TPM
      options                  | struct, optional, since 1.12 | Options for sealing the key
        pcrs                   | list(integer(0 23)), default [7] | PCRs the key is bound to; empty for none
          = [7, 11]
      checkSecurebootStatusOnEnroll | boolean, optional | Whether key enrollment fails if Secure Boot is off
    lockToState                | boolean, optional, since 1.11 | Whether to bind the key to this node's STATE volume
  cipher                       | words(aes-xts-plain64 xchacha12,aes-adiantum-plain64 xchacha20,aes-adiantum-plain64), default aes-xts-plain64 | Cipher
  keySize                      | u64 | Key size, in bits | 256
  blockSize                    | u64 | Sector size for encryption, in bytes | 4096
  options                      | list(words(no_read_workqueue no_write_workqueue same_cpu_crypt)) | Performance options for dm-crypt
    = ["no_read_workqueue", "no_write_workqueue"]
  allowDiscards                | boolean, optional, default false, since 1.14 | Passes discards to the disk, which reveals free blocks
`;

const sources = ["static", "nodeID", "kms", "tpm"];

/** Reports whether `encryption` is empty, so that the volume is not encrypted. */
export function isUnencrypted(block: Cursor): boolean {
  return block.get("keys").items().length === 0 &&
    readProvider(block) === "none";
}

/** Checks the key `encryption`. */
export function* encryptionRules(block: Cursor): Iterable<Problem> {
  if (isUnencrypted(block)) {
    yield* uselessRules(block);
    return;
  }
  const keys = block.get("keys");
  if (readProvider(block) === "none") {
    yield block.get("provider").error(
      "Encryption keys are given without a provider",
      'Set "provider" to "luks2"',
    );
  }
  if (keys.items().length === 0) {
    yield keys.error(
      'Encryption "luks2" has no keys',
      "Give at least one, such as { slot: 0, tpm: {} }",
    );
  }
  const slots = new Set<number>();
  for (const item of keys.items()) {
    yield* keyRules(item, slots);
    slots.add(readSlot(item));
  }
}

function* uselessRules(block: Cursor): Iterable<Problem> {
  const settings = [
    "cipher",
    "keySize",
    "blockSize",
    "options",
    "allowDiscards",
  ];
  if (settings.some((name) => block.get(name).node !== undefined)) {
    yield block.warning(
      'Encryption has options but neither "provider" nor "keys"',
      "Give both; without them the volume is not encrypted",
    );
  }
}

function* keyRules(
  item: Cursor,
  others: ReadonlySet<number>,
): Iterable<Problem> {
  const slot = readSlot(item);
  if (others.has(slot)) {
    yield item.get("slot").error(
      `Key slot "${slot}" holds more than one key`,
      "Give each key its own slot",
    );
  }
  if (sources.every((source) => item.get(source).node === undefined)) {
    yield item.error(
      `Key in slot "${slot}" has no source`,
      'Give one of "static", "nodeID", "kms" and "tpm"',
    );
  }
}

function readSlot(item: Cursor): number {
  return item.get("slot").number() ?? 0;
}

function readProvider(block: Cursor): string {
  return (block.get("provider").text() || "none").toLowerCase();
}
