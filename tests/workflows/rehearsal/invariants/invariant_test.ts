import assert from "node:assert/strict";
import {
  findResult,
  foundFrom,
  unchecked,
} from "../../../../workflows/rehearsal/invariants/invariant.ts";

Deno.test("invariants: each violation is reported once, and none if all hold", () => {
  assert.deepEqual(foundFrom(["a", "b", "a"]), {
    state: "violated",
    evidence: ["a", "b"],
  });
  assert.deepEqual(foundFrom([]), { state: "held", evidence: [] });
  assert.deepEqual(findResult("I4", unchecked), {
    id: "I4",
    state: "unchecked",
    evidence: [],
  });
});
