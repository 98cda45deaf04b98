import assert from "node:assert/strict";
import { inRange } from "../../../../workflows/runbooks/language/version_range.ts";

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
