import assert from "node:assert/strict";
import { edit, removedFixes } from "../../../tools/robustness/removed_fixes.ts";
import { listPairs } from "../../../tools/robustness/robustness.ts";

const root = new URL("../../../", import.meta.url);

Deno.test("each fix can be taken out of the sources as they are, and has its attack", async () => {
  for (const { attack, edits } of removedFixes) {
    assert.equal(listPairs(attack).length, 1, attack);
    for (const { file, from, to } of edits) {
      const source = await Deno.readTextFile(new URL(file, root));
      assert.notEqual(edit(source, from, to, file), source);
    }
  }
});

Deno.test("an edit that no longer fits is told", () => {
  assert.throws(() => edit("a a", "a", "b", "x.ts"), {
    message: 'x.ts has no single "a"; adapt the edit to it',
  });
  assert.throws(() => edit("b", "a", "b", "x.ts"));
});
