import assert from "node:assert/strict";
import { parseJson } from "../../lib/json.ts";

Deno.test("parseJson reads JSON, and is undefined for anything else", () => {
  assert.deepEqual(parseJson('{"a": [1, null]}'), { a: [1, null] });
  for (const text of ["", "{", "undefined", "a: b"]) {
    assert.equal(parseJson(text), undefined, text);
  }
});
