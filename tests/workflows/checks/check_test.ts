import assert from "node:assert/strict";
import { unless } from "../../../workflows/checks/check.ts";
import { formatCount } from "../../../lib/text/count.ts";

Deno.test("unless tells three problems and counts the rest", () => {
  assert.deepEqual(unless([], "all"), { ok: true, seen: "all" });
  assert.deepEqual(unless(["a", "b", "c", "d"], "all"), {
    ok: false,
    reason: "a; b; c; and 1 more",
  });
  assert.deepEqual([formatCount(1, "node"), formatCount(2, "node")], [
    "1 node",
    "2 nodes",
  ]);
});
