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
import { list, struct } from "../shapes.ts";

const key: Fields = {
  slot: {
    shape: int,
    always: true,
    summary: "Place of the key in the volume's header",
    examples: [{ value: 0 }],
  },
  static: {
    shape: struct({
      passphrase: {
        shape: string,
        secret: true,
        summary: "The passphrase itself",
      },
    }),
    optional: true,
    summary: "A passphrase that stands in the configuration",
  },
  nodeID: {
    shape: struct({}),
    optional: true,
    summary: "A key made from the machine's identity; keeps nobody out",
    examples: [{ value: {} }],
  },
  kms: {
    shape: struct({
      endpoint: {
        shape: openText,
        always: true,
        summary: "URL of the service",
        examples: [{ value: "https://kms.example.org:4443" }],
      },
    }),
    optional: true,
    summary: "A random key, sealed by a service on the network",
  },
  tpm: {
    shape: struct({
      options: {
        shape: struct({
          pcrs: {
            shape: list(integer(0n, 23n)),
            summary: "Registers that must not have changed; none when empty",
            initial: "[7]",
            examples: [{ value: [7, 11] }],
          },
        }),
        optional: true,
        since: "1.12",
        summary: "What unsealing depends on",
      },
      checkSecurebootStatusOnEnroll: {
        shape: boolean,
        optional: true,
        summary: "Whether sealing needs Secure Boot to be on",
      },
    }),
    optional: true,
    summary: "A random key, sealed by the machine's TPM",
  },
  lockToState: {
    shape: boolean,
    optional: true,
    since: "1.11",
    summary: "Whether the key is of no use without this node's STATE volume",
  },
};

/** Key `encryption` of volumes. */
export const encryption: Field = {
  shape: struct({
    provider: {
      shape: choice(["none", "luks2"], { insensitive: true }),
      always: true,
      summary: "How the volume is encrypted",
      examples: [{ value: "luks2" }],
    },
    keys: {
      shape: list(struct(key)),
      always: true,
      summary: "Keys, each of which opens the volume",
      examples: [{ value: [{ slot: 0, tpm: {} }] }],
    },
    cipher: {
      shape: words([
        "aes-xts-plain64",
        "xchacha12,aes-adiantum-plain64",
        "xchacha20,aes-adiantum-plain64",
      ]),
      summary: "Cipher",
      initial: "aes-xts-plain64",
    },
    keySize: {
      shape: u64,
      summary: "Length of the key in bits",
      examples: [{ value: 256 }],
    },
    blockSize: {
      shape: u64,
      summary: "Bytes that are encrypted as one",
      examples: [{ value: 4096 }],
    },
    options: {
      shape: list(words([
        "no_read_workqueue",
        "no_write_workqueue",
        "same_cpu_crypt",
      ])),
      summary: "Further options of the device mapper",
      examples: [{ value: ["no_read_workqueue", "no_write_workqueue"] }],
    },
  }),
  summary: "Encryption of the volume; none when absent",
  examples: [{ value: { provider: "luks2", keys: [{ slot: 0, tpm: {} }] } }],
};

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
