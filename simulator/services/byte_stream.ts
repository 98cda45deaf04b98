import type { SimulatedNode } from "../state/node.ts";

/** Splits bytes into messages of the node's chunk size. */
export async function* chunks(
  { chunkBytes }: SimulatedNode,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<{
  readonly bytes: Uint8Array;
}> {
  for await (const part of parts) {
    for (let start = 0; start < part.length; start += chunkBytes) {
      yield { bytes: part.subarray(start, start + chunkBytes) };
    }
  }
}
