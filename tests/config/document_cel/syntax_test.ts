import assert from "node:assert/strict";
import { ExpressionError } from "../../../config/document_cel/syntax.ts";

Deno.test("ExpressionError carries place and hint", () => {
  const problem = new ExpressionError("Unexpected", 3, "Write nothing");
  assert.equal(problem.name, "ExpressionError");
  assert.equal(problem.message, "Unexpected");
  assert.equal(problem.offset, 3);
  assert.equal(problem.hint, "Write nothing");
});
