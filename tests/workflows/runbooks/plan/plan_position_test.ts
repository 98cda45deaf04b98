import assert from "node:assert/strict";
import {
  afterFailure,
  enterBlock,
  noUnknownNames,
  type PlanPosition,
  setOutcome,
} from "../../../../workflows/runbooks/plan/plan_position.ts";

function place(): PlanPosition {
  return {
    // What is not looked at is omitted.
    frame: {
      path: "a",
      outputs: new Map(),
      around: [],
    } as unknown as PlanPosition["frame"],
    names: noUnknownNames(),
    steps: new Map(),
    around: [],
    certain: "yes",
    failing: false,
  };
}

Deno.test("what a step leaves is known or hidden, never both", () => {
  const here = place();
  setOutcome(here, "s", { outputs: { x: 1 } });
  assert.deepEqual([...here.frame.outputs], [["s", { x: 1 }]]);
  setOutcome(here, "s", { needs: ["a/s"] });
  assert.deepEqual([...here.frame.outputs], []);
  assert.deepEqual([...here.steps], [["s", ["a/s"]]]);
  setOutcome(here, "s", { outputs: {} });
  assert.equal(here.steps.size, 0);
});

Deno.test("inside of a block there is a scope of its own, and that around is seen", () => {
  const here = place();
  setOutcome(here, "s", { needs: ["a/s"] });
  const inner = enterBlock(here, "a/b", "unknown");
  assert.equal(inner.frame.path, "a/b");
  assert.equal(inner.certain, "unknown");
  setOutcome(inner, "t", { needs: ["a/b/t"] });
  assert.deepEqual([...here.steps.keys()], ["s"]);
  assert.deepEqual(inner.around, [here.steps]);
  assert.deepEqual(inner.frame.around, [here.frame.outputs]);
});

Deno.test("what is noted after a failure stays there", () => {
  const here = place();
  const rescue = afterFailure(here);
  setOutcome(rescue, "s", { outputs: {} });
  assert.equal(here.frame.outputs.size, 0);
  assert.deepEqual([rescue.certain, rescue.failing], ["unknown", true]);
});
