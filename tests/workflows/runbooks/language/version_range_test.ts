import assert from "node:assert/strict";
import {
  inRange,
  parsesRange,
} from "../../../../workflows/runbooks/language/version_range.ts";

Deno.test("parsesRange knows comparisons", () => {
  assert.ok(parsesRange(">=1.0.0 <2.0.0-rc.1"));
  assert.ok(!parsesRange(">=1.0"));
  assert.ok(!parsesRange(" "));
});

const cases: readonly (readonly [string, string, boolean])[] = [
  ["1.2.3", ">=1.2.3", true],
  ["v1.2.3", ">1.2.3", false],
  ["1.3.0", ">1.2.3 <1.3.0", false],
  ["1.2.9", ">1.2.3 <=1.2.9", true],
  ["1.2.3", "1.2.3", true],
  ["1.2.4", "=1.2.3", false],
  ["1.0.0-beta.1", ">=1.0.0", false],
  ["dev", ">=0.0.1", false],
];
for (const [version, range, expected] of cases) {
  Deno.test(`${version} is ${expected ? "" : "not "}in ${range}`, () => {
    assert.equal(inRange(version, range), expected);
  });
}
