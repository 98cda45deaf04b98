import assert from "node:assert/strict";
import { endOf, hoursFlag } from "../../../commands/gen/_lifetime.ts";
import { InputProblem } from "../../../commands/_kit/mod.ts";

Deno.test("hoursFlag takes whole hours above zero", () => {
  const flag = hoursFlag(24);
  assert.equal(flag.initial, 24);
  assert.equal(flag.parse("1", undefined), 1);
  for (const text of ["0", "-1", "1.5", "24h"]) {
    assert.throws(() => flag.parse(text, undefined), InputProblem, text);
  }
});

Deno.test("endOf adds hours", () => {
  assert.deepEqual(
    endOf(new Date("2024-02-28T23:30:00Z"), 25),
    new Date("2024-03-01T00:30:00Z"),
  );
});
