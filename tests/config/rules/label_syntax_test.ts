import assert from "node:assert/strict";
import {
  isLabelKey,
  isLabelValue,
} from "../../../config/rules/label_syntax.ts";

for (
  const [text, right] of [
    ["a", true],
    ["A.b-c_d", true],
    ["example.com/a", true],
    ["a".repeat(63), true],
    [`${"a".repeat(253)}/a`, true],
    ["a".repeat(64), false],
    [`${"a".repeat(254)}/a`, false],
    ["", false],
    ["/a", false],
    ["a/", false],
    ["a/b/c", false],
    ["Example.com/a", false],
    ["a..b/c", false],
    ["-a", false],
    ["a_", false],
  ] as const
) {
  Deno.test(`isLabelKey says ${right} of "${text.slice(0, 70)}"`, () => {
    assert.equal(isLabelKey(text), right);
  });
}

Deno.test("isLabelValue takes names and nothing", () => {
  const texts = ["", "a.b", "a".repeat(63), "a".repeat(64), "a/b", "-a", "a b"];
  assert.deepEqual(texts.map(isLabelValue), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
