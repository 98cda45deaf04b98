import assert from "node:assert/strict";
import { readJson } from "../../provisioners/json_file.ts";
import { withFolder } from "../_folder.ts";

Deno.test("readJson reads what is there, and knows when nothing is", async () => {
  await withFolder({ "a.json": '{"a":1}' }, async (folder) => {
    assert.deepEqual(await readJson(`${folder}/a.json`), { a: 1 });
    assert.equal(await readJson(`${folder}/b.json`), undefined);
  });
});

Deno.test("readJson names a file that is no JSON", async () => {
  await withFolder({ "a.json": "{" }, async (folder) => {
    await assert.rejects(readJson(`${folder}/a.json`), {
      message: `Cannot read "${folder}/a.json": it is no JSON`,
      hint: "Remove the cluster with: osctl cluster destroy --force",
      status: 2,
    });
  });
});
