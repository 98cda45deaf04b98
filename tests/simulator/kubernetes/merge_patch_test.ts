import assert from "node:assert/strict";
import { mergePatch } from "../../../simulator/kubernetes/merge_patch.ts";

Deno.test("mergePatch merges maps, replaces everything else, and removes what is null", () => {
  assert.deepEqual(
    mergePatch(
      { a: { b: 1, c: 2 }, list: [1, 2], text: "x" },
      { a: { b: null, d: { e: null, f: 3 } }, list: [3], text: { g: 1 } },
    ),
    { a: { c: 2, d: { f: 3 } }, list: [3], text: { g: 1 } },
  );
});
