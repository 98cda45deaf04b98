import assert from "node:assert/strict";
import { escape, formatTable } from "../../../tools/docs/markdown.ts";

Deno.test("formatTable puts a header above its rows", () => {
  assert.equal(
    formatTable(["A", "B"], ["| 1 | 2 |", "| 3 | 4 |"]),
    "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n",
  );
});

Deno.test("formatTable makes nothing of no rows", () => {
  assert.equal(formatTable(["A"], []), "");
});

Deno.test("escape keeps bars and tags from having a meaning", () => {
  assert.equal(escape("a | <b>"), "a \\| &lt;b>");
});
