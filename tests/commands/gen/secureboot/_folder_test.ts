import assert from "node:assert/strict";
import { writeInto } from "../../../../commands/gen/secureboot/_folder.ts";
import { namesIn, readMode } from "../../config/_file.ts";

async function withFolder(
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("writeInto names each file before it writes, in folders of mode 700", async () => {
  await withFolder(async (folder) => {
    const notes: string[] = [];
    const output = `${folder}/deep`;
    await writeInto({ b: "B", a: Uint8Array.of(65) }, {
      output,
      force: false,
      note: (text) => notes.push(text),
    });
    assert.deepEqual(notes, [`writing ${output}/b`, `writing ${output}/a`]);
    assert.deepEqual(await namesIn(output), ["a", "b"]);
    assert.equal(await readMode(output), 0o700);
    assert.equal(await readMode(`${output}/a`), 0o600);
  });
});
