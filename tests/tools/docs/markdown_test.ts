import assert from "node:assert/strict";
import { escape, tableOf } from "../../../tools/docs/markdown.ts";

Deno.test("tableOf puts a header above its rows", () => {
  assert.equal(
    tableOf(["A", "B"], ["| 1 | 2 |", "| 3 | 4 |"]),
    "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n",
  );
});

Deno.test("tableOf makes nothing of no rows", () => {
  assert.equal(tableOf(["A"], []), "");
});

Deno.test("escape keeps bars and tags from having a meaning", () => {
  assert.equal(escape("a | <b>"), "a \\| &lt;b>");
});
