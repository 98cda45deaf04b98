import assert from "node:assert/strict";
import {
  isSame,
  listOf,
  readType,
  typeText,
} from "../../../config/document_cel/types.ts";

Deno.test("typeText writes variables as anything", () => {
  assert.equal(typeText(readType("map(A,list(int))")), "map(dyn, list(int))");
});

Deno.test("isSame compares all parts", () => {
  assert.equal(isSame(readType("list(int)"), listOf(readType("int"))), true);
  assert.equal(isSame(readType("list(int)"), readType("list(uint)")), false);
  assert.equal(isSame(readType("list(int)"), readType("list")), false);
});
