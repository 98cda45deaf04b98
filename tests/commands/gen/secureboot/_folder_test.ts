import assert from "node:assert/strict";
import { withFolder } from "../../../_folder.ts";
import { writeInto } from "../../../../commands/gen/secureboot/_folder.ts";
import { namesIn, readMode } from "../../config/_file.ts";

Deno.test("writeInto names each file before it writes, in folders of mode 700", async () => {
  await withFolder({}, async (folder) => {
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
