/** A file that is too large to be kept. */

import type { RegularFile } from "../../../simulator/state/file_entry.ts";

/** Makes a large file of bytes that do not compress; the same in every file. */
export function largeFile(size: number): RegularFile<unknown> {
  return { kind: "file", size: () => size, read: () => noise(size) };
}

const blockSize = 64 * 1024;
let block: Uint8Array | undefined;

function* noise(size: number): Generator<Uint8Array> {
  block ??= noiseBlock();
  for (let left = size; left > 0; left -= blockSize) {
    yield left < blockSize ? block.subarray(0, left) : block;
  }
}

/** Steps of a linear congruential generator. */
function noiseBlock(): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: blockSize }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 16;
  });
}
