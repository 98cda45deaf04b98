import assert from "node:assert/strict";
import { spanText } from "../../../../workflows/runbooks/report/span.ts";

for (
  const [ms, text] of [
    [-1, "0s"],
    [0, "0s"],
    [99, "0s"],
    [999, "900ms"],
    [1_999, "1s"],
    [59_999, "59s"],
    [60_000, "1m0s"],
    [102_000, "1m42s"],
    [3_600_000, "1h0m0s"],
    [93_784_000, "26h3m4s"],
  ] as const
) {
  Deno.test(`spanText writes ${ms} ms as ${text}`, () => {
    assert.equal(spanText(ms), text);
  });
}
