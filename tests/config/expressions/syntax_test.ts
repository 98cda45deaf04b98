import assert from "node:assert/strict";
import { ExpressionError } from "../../../config/expressions/syntax.ts";

Deno.test("ExpressionError carries place and hint", () => {
  const mistake = new ExpressionError("Unexpected", 3, "Write nothing");
  assert.equal(mistake.name, "ExpressionError");
  assert.equal(mistake.message, "Unexpected");
  assert.equal(mistake.offset, 3);
  assert.equal(mistake.hint, "Write nothing");
});
