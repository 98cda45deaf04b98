import assert from "node:assert/strict";
import {
  isSame,
  listOf,
  optionalOf,
  readType,
  typeText,
  unwrapped,
} from "../../../config/document_cel/types.ts";

Deno.test("readType reads types within types", () => {
  assert.deepEqual(readType("map(int,list(optional(A)))"), {
    name: "map",
    parts: [
      { name: "int", parts: [] },
      {
        name: "list",
        parts: [
          { name: "optional", parts: [{ name: "A", parts: [], open: true }] },
        ],
      },
    ],
  });
});

Deno.test("typeText writes variables as anything", () => {
  assert.equal(typeText(readType("map(A,list(int))")), "map(dyn, list(int))");
});

Deno.test("isSame compares all parts", () => {
  assert.equal(isSame(readType("list(int)"), listOf(readType("int"))), true);
  assert.equal(isSame(readType("list(int)"), readType("list(uint)")), false);
  assert.equal(isSame(readType("list(int)"), readType("list")), false);
});

Deno.test("unwrapped takes the value out of an optional one only", () => {
  const int = readType("int");
  assert.equal(unwrapped(optionalOf(int)), int);
  assert.equal(unwrapped(listOf(int)), undefined);
});
