/** How many keys exist, when their changes are told in order; memory is bounded. */

import type { BlockFile } from "./block_file.ts";
import type { Extent } from "./elements.ts";

/** Keys are known by 62 bits of a hash; the two lowest bits of the upper word say what is known. */
const mark = { used: 2, alive: 1 } as const;

/** Two words, in bytes. */
const slotSize = 8;

/** Slots at the start, a power of two. */
const fewSlots = 4096;

/** Most slots, 32 MiB; three quarters of them are filled at most. */
const mostSlots = 2 ** 22;

/** Keys that exist. */
export interface LiveKeys {
  /** How many; `undefined` when there were too many keys to keep count. */
  count: number | undefined;
  /** Slots that are used, also by keys that were deleted. */
  used: number;
  /** Open addressing. */
  slots: DataView;
}

/** Begins with no key. */
export function noKeys(): LiveKeys {
  return {
    count: 0,
    used: 0,
    slots: new DataView(new ArrayBuffer(fewSlots * slotSize)),
  };
}

/**
 * Tells the next change.
 *
 * @param keys What is known; it changes.
 * @param file Where the key is.
 * @param key Where in it.
 * @param alive False when the key was deleted.
 */
export function tell(
  keys: LiveKeys,
  file: BlockFile,
  key: Extent,
  alive: boolean,
): void {
  if (keys.count === undefined) return;
  const [low, high] = hashOf(file, key);
  const at = slotOf(keys.slots, low, high);
  const before = keys.slots.getUint32(at + 4, true);
  keys.count += Number(alive) - (before & mark.alive);
  keys.slots.setUint32(at, low, true);
  keys.slots.setUint32(at + 4, high | Number(alive), true);
  if (before === 0) keys.used++;
  if (keys.used * slotSize > keys.slots.byteLength * 3 / 4) grow(keys);
}

/** Offset of a key's slot: its own, or the free one where it belongs. */
function slotOf(slots: DataView, low: number, high: number): number {
  const mask = slots.byteLength - 1;
  let at = (low * slotSize) & mask;
  for (;;) {
    const known = slots.getUint32(at + 4, true);
    if (known === 0) return at;
    const same = ((known ^ high) & ~mark.alive) === 0 &&
      slots.getUint32(at, true) === low;
    if (same) return at;
    at = (at + slotSize) & mask;
  }
}

function grow(keys: LiveKeys): void {
  const old = keys.slots;
  if (old.byteLength === mostSlots * slotSize) {
    keys.count = undefined;
    keys.slots = new DataView(new ArrayBuffer(0));
    return;
  }
  keys.slots = new DataView(new ArrayBuffer(2 * old.byteLength));
  for (let at = 0; at < old.byteLength; at += slotSize) {
    const [low, high] = [old.getUint32(at, true), old.getUint32(at + 4, true)];
    if (high === 0) continue;
    const place = slotOf(keys.slots, low, high);
    keys.slots.setUint32(place, low, true);
    keys.slots.setUint32(place + 4, high, true);
  }
}

/** Two words; the mark of a used slot is set, that of a living key is not. */
function hashOf(file: BlockFile, key: Extent): readonly [number, number] {
  let a = 0x2545f491;
  let b = 0x9e3779b9;
  let at = key.at;
  while (at < key.end) {
    const whole = at + 4 <= key.end;
    const word = whole ? file.uint32(at) : file.uint8(at);
    a = Math.imul((a << 15 | a >>> 17) ^ word, 0x9e3779b1);
    b = Math.imul((b << 5 | b >>> 27) ^ word, 0x85ebca6b);
    at += whole ? 4 : 1;
  }
  a = Math.imul(a ^ (b >>> 15), 0x2c1b3c6d) ^ (b >>> 13);
  b = Math.imul(b ^ (a >>> 16), 0x297a2d39) ^ (a >>> 15);
  return [a >>> 0, ((b & ~mark.alive) | mark.used) >>> 0];
}
