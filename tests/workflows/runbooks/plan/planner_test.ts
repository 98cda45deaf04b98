import assert from "node:assert/strict";
import {
  noteUnknown,
  type Planner,
} from "../../../../workflows/runbooks/plan/planner.ts";

Deno.test("planner: a value decided at run time is noted once, with its dependencies", () => {
  const unknowns: Planner["unknowns"] = new Map();
  // Nothing else is checked.
  const planner = { unknowns } as Planner;
  const one = { path: "a", what: "when", expression: "x" };
  noteUnknown(planner, { ...one, needs: ["b"] });
  noteUnknown(planner, { ...one, needs: ["c", "b"] });
  noteUnknown(planner, { ...one, what: "with.x", needs: [] });
  assert.deepEqual([...unknowns.values()], [
    { ...one, needs: ["b", "c"] },
    { ...one, what: "with.x", needs: [] },
  ]);
});
