import assert from "node:assert/strict";
import { chunks } from "../../../simulator/services/byte_stream.ts";
import { madeNodes } from "../_node.ts";

Deno.test("bytes are cut into messages; what was apart stays apart", async () => {
  const [node] = await madeNodes({ chunkBytes: 4 });
  const parts = [new Uint8Array(9), new Uint8Array(0), new Uint8Array(2)];
  const messages = await Array.fromAsync(chunks(node!, parts));
  assert.deepEqual(messages.map(({ bytes }) => bytes.length), [4, 4, 1, 2]);
});
