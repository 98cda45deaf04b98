import assert from "node:assert/strict";
import { formatCount, formatFirst } from "../../../lib/text/count.ts";

Deno.test("formatCount adds an s unless there is one", () => {
  assert.equal(formatCount(0, "node"), "0 nodes");
  assert.equal(formatCount(1, "node"), "1 node");
  assert.equal(formatCount(2, "control plane"), "2 control planes");
});

Deno.test("formatFirst counts what is behind the first texts", () => {
  assert.equal(formatFirst(["a"]), "a");
  assert.equal(formatFirst(["a", "b", "c"]), "a, b, c");
  assert.equal(formatFirst(["a", "b", "c", "d"]), "a, b, c, and 1 more");
  assert.equal(formatFirst(["a", "b", "c"], "; ", 1), "a; and 2 more");
});
