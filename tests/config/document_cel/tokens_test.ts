import assert from "node:assert/strict";
import { tokenize } from "../../../config/document_cel/tokens.ts";

Deno.test("tokenize names escapes that stand for nothing", () => {
  const cases = [
    [`"a\\q"`, 'Unknown escape "\\q"', 2],
    [`'\\400'`, 'Unknown escape "\\4"', 1],
    [`"\\U00110000"`, 'Escape "\\U00110000" is not a valid character', 1],
    [`b"\\u0041"`, 'Escape "\\u0041" is not allowed in bytes', 2],
    [`"""\\q"""`, 'Unknown escape "\\q"', 3],
  ] as const;
  for (const [text, message, offset] of cases) {
    assert.throws(() => tokenize(text), { message, offset });
  }
});
