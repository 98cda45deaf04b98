import assert from "node:assert/strict";
import { within } from "../../tools/bench.ts";

Deno.test("within compares a figure with its budget, both ways", () => {
  const figure = { name: "start", value: 50, unit: "ms" };
  assert.equal(within(figure), true);
  assert.equal(within({ ...figure, budget: 50 }), true);
  assert.equal(within({ ...figure, budget: 49 }), false);
  assert.equal(within({ ...figure, budget: 50, atLeast: true }), true);
  assert.equal(within({ ...figure, budget: 51, atLeast: true }), false);
});
