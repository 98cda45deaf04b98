import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import {
  boolean,
  choice,
  int,
  integer,
  openText,
  string,
  u64,
  words,
} from "../scalars/scalars.ts";
import type { Field, Fields } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

const key: Fields = {
  slot: field(int, "LUKS key slot", {
    always: true,
    example: 0,
  }),
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
    { optional: true, example: {} },
  ),
  kms: field(
    struct({
      endpoint: field(openText, "URL of the KMS server", {
        always: true,
        example: "https://kms.example.org:4443",
      }),
    }),
    "Random key, sealed by a KMS server",
    { optional: true },
  ),
  tpm: field(
    struct({
      options: field(
        struct({
          pcrs: field(
            list(integer(0n, 23n)),
            "PCRs the key is bound to; empty for none",
            { initial: "[7]", example: [7, 11] },
          ),
        }),
        "Options for sealing the key",
        { optional: true, since: "1.12" },
      ),
      checkSecurebootStatusOnEnroll: field(
        boolean,
        "Whether key enrollment fails if Secure Boot is off",
        { optional: true },
      ),
    }),
    "Random key, sealed by the node's TPM",
    { optional: true },
  ),
  lockToState: field(
    boolean,
    "Whether to bind the key to this node's STATE volume",
    { optional: true, since: "1.11" },
  ),
};

/** Key `encryption` of volumes. */
export const encryption: Field = field(
  struct({
    provider: field(
      choice(["none", "luks2"], { insensitive: true }),
      "Encryption provider",
      { always: true, example: "luks2" },
    ),
    keys: field(
      list(struct(key)),
      "Encryption keys; any of them unlocks the volume",
      {
        always: true,
        example: [{ slot: 0, tpm: {} }],
      },
    ),
    cipher: field(
      words([
        "aes-xts-plain64",
        "xchacha12,aes-adiantum-plain64",
        "xchacha20,aes-adiantum-plain64",
      ]),
      "Cipher",
      { initial: "aes-xts-plain64" },
    ),
    keySize: field(u64, "Key size, in bits", { example: 256 }),
    blockSize: field(u64, "Sector size for encryption, in bytes", {
      example: 4096,
    }),
    options: field(
      list(words([
        "no_read_workqueue",
        "no_write_workqueue",
        "same_cpu_crypt",
      ])),
      "Performance options for dm-crypt",
      { example: ["no_read_workqueue", "no_write_workqueue"] },
    ),
    allowDiscards: {
      ...flag("Passes discards to the disk, which reveals free blocks"),
      since: "1.14",
    },
  }),
  "Encryption of the volume; omit for none",
  { example: { provider: "luks2", keys: [{ slot: 0, tpm: {} }] } },
);

const sources = ["static", "nodeID", "kms", "tpm"];

/** Reports whether `encryption` says nothing, so that the volume is not encrypted. */
export function isUnencrypted(block: Cursor): boolean {
  return block.get("keys").items().length === 0 && providerOf(block) === "none";
}

/** Checks the key `encryption`. */
export function* encryptionRules(block: Cursor): Iterable<Problem> {
  if (isUnencrypted(block)) {
    yield* uselessRules(block);
    return;
  }
  const keys = block.get("keys");
  if (providerOf(block) === "none") {
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
    slots.add(slotOf(item));
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
  const slot = slotOf(item);
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

function slotOf(item: Cursor): number {
  return item.get("slot").number() ?? 0;
}

function providerOf(block: Cursor): string {
  return (block.get("provider").text() || "none").toLowerCase();
}
