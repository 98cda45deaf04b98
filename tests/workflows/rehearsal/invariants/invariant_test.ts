import assert from "node:assert/strict";
import {
  findResult,
  foundFrom,
  unchecked,
} from "../../../../workflows/rehearsal/invariants/invariant.ts";

Deno.test("what is wrong is reported once, and nothing wrong is held", () => {
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
