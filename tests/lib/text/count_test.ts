import assert from "node:assert/strict";
import { formatCount } from "../../../lib/text/count.ts";

Deno.test("formatCount adds an s unless there is one", () => {
  assert.equal(formatCount(0, "node"), "0 nodes");
  assert.equal(formatCount(1, "node"), "1 node");
  assert.equal(formatCount(2, "control plane"), "2 control planes");
});
