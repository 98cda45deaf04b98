import assert from "node:assert/strict";
import { writer } from "../../terminal/buffered_writer.ts";

Deno.test("long texts share buffers, each only once its last text is written", async () => {
  const seen: string[] = [];
  const buffers = new Set<ArrayBufferLike>();
  const out = writer({
    terminal: false,
    columns: () => undefined,
    async write(bytes) {
      buffers.add(bytes.buffer);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      seen.push(new TextDecoder().decode(bytes));
    },
  });
  const texts = ["a", "ü", "漢", "d", "e", "f"].map((one) =>
    one.repeat(70_000)
  );
  for (const text of texts) await out.text(text);
  await out.flush();
  assert.equal(seen.join("") === texts.join(""), true);
  assert.ok(buffers.size < texts.length, `${buffers.size} buffers`);
});
