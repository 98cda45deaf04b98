import assert from "node:assert/strict";
import { counted, unless } from "../../../workflows/checks/check.ts";

Deno.test("unless tells three problems and counts the rest", () => {
  assert.deepEqual(unless([], "all"), { ok: true, seen: "all" });
  assert.deepEqual(unless(["a", "b", "c", "d"], "all"), {
    ok: false,
    reason: "a; b; c; and 1 more",
  });
  assert.deepEqual([counted(1, "node"), counted(2, "node")], [
    "1 node",
    "2 nodes",
  ]);
});
