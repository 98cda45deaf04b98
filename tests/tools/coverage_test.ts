import assert from "node:assert/strict";
import { dropUnfinished } from "../../tools/coverage.ts";
import { withFolder } from "../_folder.ts";

Deno.test("dropUnfinished removes what a killed process left half-written", async () => {
  const files = {
    "whole.json": '{"url":"file:///a.ts"}',
    "empty.json": "",
    "cut.json": '{"url":',
    "other.txt": "",
  };
  await withFolder(files, async (folder) => {
    const dropped = await dropUnfinished(new URL(`file://${folder}/`));
    assert.deepEqual(dropped.sort(), ["cut.json", "empty.json"]);
    const left: string[] = [];
    for await (const { name } of Deno.readDir(folder)) left.push(name);
    assert.deepEqual(left.sort(), ["other.txt", "whole.json"]);
  });
});
