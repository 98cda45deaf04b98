import assert from "node:assert/strict";
import { readType, typeText } from "../../../config/document_cel/types.ts";

Deno.test("typeText writes variables as anything", () => {
  assert.equal(typeText(readType("map(A,list(int))")), "map(dyn, list(int))");
});
