/** Encryption of volumes. */

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
import { field, list, struct } from "../shapes.ts";

const key: Fields = {
  slot: field(int, "Place of the key in the volume's header", {
    always: true,
    example: 0,
  }),
  static: field(
    struct({
      passphrase: field(string, "The passphrase itself", { secret: true }),
    }),
    "A passphrase in the configuration",
    { optional: true },
  ),
  nodeID: field(
    struct({}),
    "A key derived from the machine's identity; not a secret",
    { optional: true, example: {} },
  ),
  kms: field(
    struct({
      endpoint: field(openText, "URL of the service", {
        always: true,
        example: "https://kms.example.org:4443",
      }),
    }),
    "A random key, sealed by a service on the network",
    { optional: true },
  ),
  tpm: field(
    struct({
      options: field(
        struct({
          pcrs: field(
            list(integer(0n, 23n)),
            "Registers that must not have changed; none when empty",
            { initial: "[7]", example: [7, 11] },
          ),
        }),
        "What unsealing depends on",
        { optional: true, since: "1.12" },
      ),
      checkSecurebootStatusOnEnroll: field(
        boolean,
        "Whether sealing needs Secure Boot to be on",
        { optional: true },
      ),
    }),
    "A random key, sealed by the machine's TPM",
    { optional: true },
  ),
  lockToState: field(
    boolean,
    "Whether the key is of no use without this node's STATE volume",
    { optional: true, since: "1.11" },
  ),
};

/** Key `encryption` of volumes. */
export const encryption: Field = field(
  struct({
    provider: field(
      choice(["none", "luks2"], { insensitive: true }),
      "How the volume is encrypted",
      { always: true, example: "luks2" },
    ),
    keys: field(list(struct(key)), "Keys, each of which opens the volume", {
      always: true,
      example: [{ slot: 0, tpm: {} }],
    }),
    cipher: field(
      words([
        "aes-xts-plain64",
        "xchacha12,aes-adiantum-plain64",
        "xchacha20,aes-adiantum-plain64",
      ]),
      "Cipher",
      { initial: "aes-xts-plain64" },
    ),
    keySize: field(u64, "Length of the key in bits", { example: 256 }),
    blockSize: field(u64, "Bytes that are encrypted as one", { example: 4096 }),
    options: field(
      list(words([
        "no_read_workqueue",
        "no_write_workqueue",
        "same_cpu_crypt",
      ])),
      "Further options of the device mapper",
      { example: ["no_read_workqueue", "no_write_workqueue"] },
    ),
  }),
  "Encryption of the volume; none when absent",
  { example: { provider: "luks2", keys: [{ slot: 0, tpm: {} }] } },
);

const sources = ["static", "nodeID", "kms", "tpm"];

/** Tells whether `encryption` says nothing, so that the volume is not encrypted. */
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
      "Keys are given for a volume that is not encrypted",
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
  const settings = ["cipher", "keySize", "blockSize", "options"];
  if (settings.some((name) => block.get(name).node !== undefined)) {
    yield block.warning(
      "Encryption has settings but neither provider nor keys",
      "The volume is not encrypted until both are given",
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
      `Slot "${slot}" holds more than one key`,
      "Give every key a slot of its own",
    );
  }
  if (sources.every((source) => item.get(source).node === undefined)) {
    yield item.error(
      `Key in slot "${slot}" comes from nowhere`,
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
