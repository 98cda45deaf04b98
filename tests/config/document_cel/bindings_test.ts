import assert from "node:assert/strict";
import {
  fit,
  freshVariable,
  moreGeneral,
  noBindings,
} from "../../../config/document_cel/bindings.ts";
import { listOf, readType } from "../../../config/document_cel/types.ts";

function fits(a: string, b: string): boolean {
  return fit(noBindings(), [readType(a)], [readType(b)]);
}

Deno.test("fit lets null stand for records, times and optional values only", () => {
  for (
    const type of ["disk", "duration", "timestamp", "optional(int)", "null"]
  ) {
    assert.equal(fits("null", type), true, type);
    assert.equal(fits(type, "null"), true, type);
  }
  for (const type of ["string", "uint", "list(int)", "map(int,int)", "type"]) {
    assert.equal(fits("null", type), false, type);
  }
});

Deno.test("fit never lets a variable stand for something it is part of", () => {
  const bindings = noBindings();
  const variable = freshVariable(bindings);
  assert.equal(fit(bindings, [variable], [listOf(variable)]), false);
});

Deno.test("moreGeneral prefers what says less", () => {
  const some = readType("list(dyn)");
  const exact = readType("list(int)");
  assert.equal(moreGeneral(some, exact), some);
  assert.equal(moreGeneral(exact, some), some);
});
