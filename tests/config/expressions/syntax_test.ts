import assert from "node:assert/strict";
import { ExpressionMistake } from "../../../config/expressions/syntax.ts";

Deno.test("ExpressionMistake carries place and hint", () => {
  const mistake = new ExpressionMistake("Unexpected", 3, "Write nothing");
  assert.equal(mistake.name, "ExpressionMistake");
  assert.equal(mistake.message, "Unexpected");
  assert.equal(mistake.offset, 3);
  assert.equal(mistake.hint, "Write nothing");
});
