import assert from "node:assert/strict";
import {
  joinFunctions,
  readFunctions,
  standardFunctions,
} from "../../../config/document_cel/functions.ts";
import { typeText } from "../../../config/document_cel/types.ts";

Deno.test("readFunctions reads all ways to call a function", () => {
  const overloads = readFunctions({ f: "int list(A) -> A; ~-> bool" }).get("f");
  assert.deepEqual(overloads, [
    {
      params: [
        { name: "int", parts: [] },
        { name: "list", parts: [{ name: "A", parts: [], open: true }] },
      ],
      result: { name: "A", parts: [], open: true },
      mixedComparisons: false,
    },
    { params: [], result: { name: "bool", parts: [] }, mixedComparisons: true },
  ]);
});

Deno.test("joinFunctions keeps the order of ways to call one", () => {
  const joined = joinFunctions(
    readFunctions({ f: "int -> int" }),
    readFunctions({ f: "uint -> uint", g: "-> int" }),
  );
  assert.deepEqual(
    joined.get("f")?.map(({ result }) => typeText(result)),
    ["int", "uint"],
  );
  assert.equal(joined.get("g")?.length, 1);
});

Deno.test("comparisons of different numbers are marked", () => {
  const mixedComparisons = standardFunctions().get("_<_")?.filter((
    { mixedComparisons },
  ) => mixedComparisons).map(({ params }) => params.map(typeText).join(" "));
  assert.deepEqual(mixedComparisons, [
    "int double",
    "int uint",
    "uint double",
    "uint int",
    "double int",
    "double uint",
  ]);
});
