/** Chunks of any size made into blocks of one size. */

/**
 * Cuts and joins chunks.
 *
 * Small chunks cost most of the time where every step has its own price.
 *
 * @param size Size of a block in bytes.
 * @returns Blocks of this size, the last one may be smaller; chunks that fit are passed on uncopied.
 */
export async function* blocks(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let block = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of chunks) {
    let rest = chunk;
    while (rest.length > 0) {
      if (filled === 0 && rest.length >= size) {
        // Bytes from the network are never shared between threads.
        yield rest.subarray(0, size) as Uint8Array<ArrayBuffer>;
        rest = rest.subarray(size);
        continue;
      }
      const taken = rest.subarray(0, size - filled);
      block.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
      if (filled < size) continue;
      yield block;
      [block, filled] = [new Uint8Array(size), 0];
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
