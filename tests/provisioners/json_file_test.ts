import assert from "node:assert/strict";
import { readJson } from "../../provisioners/json_file.ts";

Deno.test("readJson reads what is there, and knows when nothing is", async () => {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, '{"a":1}');
  assert.deepEqual(await readJson(path), { a: 1 });
  await Deno.writeTextFile(path, "{");
  await assert.rejects(readJson(path), SyntaxError);
  await Deno.remove(path);
  assert.equal(await readJson(path), undefined);
});
