import assert from "node:assert/strict";
import type { Json } from "../../../../lib/json.ts";
import {
  compareValues,
  inputFault,
} from "../../../../workflows/runbooks/language/input_value.ts";
import type { RunbookInput } from "../../../../workflows/runbooks/runbook.ts";

const cases: readonly (readonly [
  Json,
  Omit<RunbookInput, "summary">,
  string | undefined,
])[] = [
  [3, { type: "int", min: 3, max: 3 }, undefined],
  [2, { type: "int", min: 3 }, "2 is less than 3"],
  ["90s", { type: "duration", max: "1m30s" }, undefined],
  ["91s", { type: "duration", max: "1m30s" }, "91s is more than 1m30s"],
  ["50%", { type: "countOrPercent", max: "25%" }, "50% is more than 25%"],
  [9, { type: "countOrPercent", max: "25%" }, undefined],
  ["ab", { type: "string", pattern: "a|ab" }, undefined],
  [
    "abc",
    { type: "string", pattern: "a|ab" },
    '"abc" does not match its pattern',
  ],
  ["${{ x }}", { type: "int", min: 3 }, undefined],
  ["x", { type: "int" }, '"x" is not a whole number'],
];
for (const [value, input, expected] of cases) {
  Deno.test(`inputFault of ${JSON.stringify(value)} for ${JSON.stringify(input)}`, () => {
    assert.equal(
      inputFault(value, { ...input, summary: "" })?.message,
      expected,
    );
  });
}

Deno.test("compareValues compares what has the same unit", () => {
  assert.equal(compareValues("1h", "61m"), -1);
  assert.equal(compareValues("10%", "9%"), 1);
  assert.equal(compareValues(2, 2), 0);
  assert.equal(compareValues(2, "2%"), undefined);
  assert.equal(compareValues("x", 1), undefined);
});
