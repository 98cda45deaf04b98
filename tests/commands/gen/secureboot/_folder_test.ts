import assert from "node:assert/strict";
import {
  pathIn,
  refuseTakenIn,
  writeInto,
} from "../../../../commands/gen/secureboot/_folder.ts";
import { modeOf, namesIn } from "../../config/_file.ts";
import { assertConfigRejection } from "../../../pki/_errors.ts";

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

Deno.test("pathIn puts one slash between folder and name", () => {
  assert.equal(pathIn("_out", "x"), "_out/x");
  assert.equal(pathIn("keys/", "x"), "keys/x");
  assert.equal(pathIn("/", "x"), "/x");
  assert.equal(pathIn("", "x"), "x");
});

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
    assert.equal(await modeOf(output), 0o700);
    assert.equal(await modeOf(`${output}/a`), 0o600);
  });
});

Deno.test("writeInto says nothing when it refuses", async () => {
  await withFolder(async (output) => {
    await Deno.writeTextFile(`${output}/a`, "mine");
    const inputs = { output, force: false };
    await assertConfigRejection(
      writeInto({ b: "B", a: "A" }, {
        ...inputs,
        note: () => assert.fail("it was announced"),
      }),
      `Cannot write "${output}/a": it already exists`,
    );
    await assertConfigRejection(
      refuseTakenIn(["b", "a"], inputs),
      `Cannot write "${output}/a": it already exists`,
    );
    await refuseTakenIn(["b", "a"], { ...inputs, force: true });
    assert.deepEqual(await namesIn(output), ["a"]);
  });
});
