import assert from "node:assert/strict";
import { InputProblem } from "../../../../commands/_kit/inputs.ts";
import { span } from "../../../../commands/runbook/_flags/days_flag.ts";

const { parse, shown, initial } = span("how long", 30 * 86_400_000);

Deno.test("spans may count days", () => {
  assert.equal(parse("2d", undefined), 172_800_000);
  assert.equal(parse("1d6h", undefined), 108_000_000);
  assert.equal(parse("90m", undefined), 5_400_000);
  assert.equal(parse("0", undefined), 0);
});

Deno.test("what is not a span is refused", () => {
  for (const text of ["", "3w", "d", "-1h", "1d-2h", "1h2d"]) {
    assert.throws(() => parse(text, undefined), InputProblem, text);
  }
});

Deno.test("a default is shown in days, none is not", () => {
  assert.deepEqual([shown, initial], ["30d", 2_592_000_000]);
  assert.equal(span("how long").shown, "");
});
