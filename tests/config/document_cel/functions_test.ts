import assert from "node:assert/strict";
import {
  joinFunctions,
  readFunctions,
} from "../../../config/document_cel/functions.ts";
import { typeText } from "../../../config/document_cel/types.ts";

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
