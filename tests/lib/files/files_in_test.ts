import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { filesIn } from "../../../lib/files/exists.ts";

Deno.test("filesIn lists the wanted files of a folder", async () => {
  const files = {
    "b.yaml": "",
    "a.yaml": "",
    "c.txt": "",
    "d.yaml/e.yaml": "",
  };
  await withFolder(files, async (folder) => {
    const isWanted = (name: string) => name.endsWith(".yaml");
    assert.deepEqual(await filesIn(`${folder}/`, isWanted), [
      `${folder}/a.yaml`,
      `${folder}/b.yaml`,
    ]);
  });
});

Deno.test("filesIn omits the folder everybody is in", async () => {
  const names = await filesIn(".", (name) => name === "deno.json");
  assert.deepEqual(names, ["deno.json"]);
});

Deno.test("filesIn says which folder cannot be read", async () => {
  await assert.rejects(filesIn("/nowhere/x", () => true), {
    name: "ConfigError",
    message: 'Cannot read "/nowhere/x": no such file or directory',
  });
});
