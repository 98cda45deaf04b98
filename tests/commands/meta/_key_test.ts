import assert from "node:assert/strict";
import { InputProblem } from "../../../commands/_kit/mod.ts";
import { parseKey } from "../../../commands/meta/_key.ts";

Deno.test("keys are read in the base their prefix says", () => {
  for (const text of ["10", "0x0a", "0XA", "0o12", "012", "0b1010"]) {
    assert.equal(parseKey(text), 10, text);
  }
  assert.equal(parseKey("0"), 0);
  assert.equal(parseKey("255"), 255);
});

Deno.test("what is not a byte is refused", () => {
  for (const text of ["", "256", "-1", "1.5", "ten", "08", "0x", "1e1", " 1"]) {
    assert.throws(() => parseKey(text), InputProblem, text);
  }
});
