import assert from "node:assert/strict";
import {
  fileContent,
  pathName,
  textContent,
} from "../../../workflows/support/support_item.ts";
import { withFolder } from "../../_folder.ts";

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  return await new Response(ReadableStream.from(content)).text();
}

Deno.test("names of nodes are parts of paths that lead nowhere else", () => {
  assert.deepEqual(
    ["10.0.0.2", "fd00::2", "../../x", "a b"].map(pathName),
    ["10.0.0.2", "fd00__2", "__.._x", "a_b"],
  );
});

Deno.test("contents are texts and files, none where there is no file", () =>
  withFolder({ a: "in a file" }, async (folder) => {
    assert.equal(await readText(textContent(Promise.resolve("text"))), "text");
    assert.equal(await readText(fileContent(`${folder}/a`)), "in a file");
    assert.equal(await readText(fileContent(`${folder}/none`)), "");
  }));
