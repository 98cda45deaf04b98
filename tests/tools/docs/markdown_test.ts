import assert from "node:assert/strict";
import { escape } from "../../../tools/docs/markdown.ts";

Deno.test("escape keeps bars and tags from having a meaning", () => {
  assert.equal(escape("a | <b>"), "a \\| &lt;b>");
});
