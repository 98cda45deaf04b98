import assert from "node:assert/strict";
import { generateIndex } from "../../tools/index.ts";
import { withFolder } from "../_folder.ts";

const commands = new URL("../../commands/", import.meta.url);

Deno.test("generateIndex writes what is committed: names, sections, commands below commands", async () => {
  assert.equal(
    await generateIndex(commands),
    await Deno.readTextFile(new URL("_index.ts", commands)),
  );
});

Deno.test("generateIndex names a file that exports no command", async () => {
  const files = {
    "_groups.ts": "export const groups = {};\n",
    "lab.ts": "export const cmd = 1;\n",
  };
  await withFolder(files, async (folder) => {
    await assert.rejects(generateIndex(new URL(`file://${folder}/`)), {
      message: 'commands/lab.ts exports no "command"',
    });
  });
});
