import assert from "node:assert/strict";
import { jsonOf } from "../../lib/json.ts";

Deno.test("jsonOf reads JSON, and is undefined for anything else", () => {
  assert.deepEqual(jsonOf('{"a": [1, null]}'), { a: [1, null] });
  for (const text of ["", "{", "undefined", "a: b"]) {
    assert.equal(jsonOf(text), undefined, text);
  }
});
