import assert from "node:assert/strict";
import { waitingFor } from "../../../../workflows/checks/health/health_check.ts";

Deno.test("waitingFor tells three problems and counts the rest", () => {
  assert.deepEqual(waitingFor([]), { state: "ok" });
  assert.deepEqual(waitingFor(["a", "b", "c", "d", "e"]), {
    state: "waiting",
    reason: "a; b; c; and 2 more",
  });
});
