/** `machine.systemDiskEncryption`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isGiven, textOf } from "./texts.ts";

const sources = ["static", "nodeID", "kms", "tpm"];

/** Every encrypted partition has keys, each in a slot of its own. */
export function* diskEncryptionRules(root: Cursor): Iterable<Problem> {
  const encryption = root.get("machine", "systemDiskEncryption");
  for (const name of ["state", "ephemeral"]) {
    const partition = encryption.get(name);
    if (!isGiven(partition)) continue;
    const keys = partition.get("keys");
    if (keys.items().length === 0) {
      yield keys.error(
        '"keys" is missing',
        `Give at least one key of partition "${name}"`,
      );
    }
    yield* keyRules(name, keys.items());
  }
}

function* keyRules(
  partition: string,
  keys: readonly Cursor[],
): Iterable<Problem> {
  const slots = new Set<number>();
  for (const key of keys) {
    const slot = key.get("slot").number() ?? 0;
    if (isGiven(key) && slots.has(slot)) {
      yield key.get("slot").error(
        `Two keys of partition "${partition}" are in slot ${
          textOf(key.get("slot")) || 0
        }`,
        "Give every key a slot of its own",
      );
    }
    slots.add(slot);
    if (!sources.some((source) => isGiven(key.get(source)))) {
      yield key.error(
        `A key of partition "${partition}" has no source`,
        "Give one of static, nodeID, kms and tpm",
      );
    }
  }
}
