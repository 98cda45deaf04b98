import assert from "node:assert/strict";
import { tokensOf } from "../../../config/expressions/tokens.ts";
import { unexpected } from "../../../config/expressions/unexpected.ts";

function said(text: string, index: number, expected?: string) {
  const { message, offset, hint } = unexpected(tokensOf(text), index, expected);
  return { message, offset, hint };
}

Deno.test("unexpected tells the end from what stands there", () => {
  assert.deepEqual(said("(a", 2, ")"), {
    message: "Expression ends too early",
    offset: 2,
    hint: '")" is missing at its end',
  });
  assert.deepEqual(said("(a b", 2, ")"), {
    message: 'Unexpected "b"',
    offset: 3,
    hint: '")" is missing here',
  });
});

Deno.test("unexpected writes texts with their own quotes only", () => {
  assert.equal(said('a "b"', 1).message, 'Unexpected "b"');
  assert.equal(said("a `b`", 1).message, 'Unexpected "`b`"');
});

Deno.test("unexpected turns words and units of other languages into ours", () => {
  assert.equal(said("a OR b", 1).hint, 'Write "||" for or');
  assert.equal(said("5MB", 1).hint, "Write 5u * MB");
  assert.equal(said("5u MB", 1).hint, "Write 5u * MB");
});
