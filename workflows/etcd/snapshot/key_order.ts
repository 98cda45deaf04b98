/** Keys of a bucket ascend from its first page to its last. */

import type { BlockFile } from "./block_file.ts";
import type { Extent } from "./elements.ts";

/** The last key that was seen. */
export interface KeyOrder {
  /** It starts with the key, which is at most 32768 bytes long. */
  readonly last: Uint8Array;
  /** Length of the key in bytes; 0 at the start, no key is that short. */
  size: number;
  /** True when it stands in a branch page, so that the first key below may be the same. */
  fromBranch: boolean;
}

/** Begins with no key. */
export function startOrder(): KeyOrder {
  return { last: new Uint8Array(32_768), size: 0, fromBranch: false };
}

/**
 * Takes the next key.
 *
 * @param order What was seen; remembers the key.
 * @param file Where the key is.
 * @param key Where in it.
 * @param branch True when it stands in a branch page.
 * @returns False when it should have come earlier.
 */
export function follows(
  order: KeyOrder,
  file: BlockFile,
  { at, end }: Extent,
  branch: boolean,
): boolean {
  const { last, size, fromBranch } = order;
  const shared = sharedBytes(order, file, { at, end });
  // At the end of either key, the shorter comes first.
  const way = at + shared === end || shared === size
    ? end - at - size
    : file.uint8(at + shared) - (last[shared] ?? 0);
  for (let i = shared; i < end - at; i++) last[i] = file.uint8(at + i);
  order.size = end - at;
  order.fromBranch = branch;
  return way > 0 || (way === 0 && fromBranch);
}

/** How many bytes the next key begins with like the last one. */
function sharedBytes(
  { last, size }: KeyOrder,
  file: BlockFile,
  { at, end }: Extent,
): number {
  const most = Math.min(size, end - at);
  let shared = 0;
  while (shared < most && last[shared] === file.uint8(at + shared)) shared++;
  return shared;
}
