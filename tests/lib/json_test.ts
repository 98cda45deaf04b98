import assert from "node:assert/strict";
import { parseJson, sortKeys } from "../../lib/json.ts";

Deno.test("parseJson reads JSON, and is undefined for anything else", () => {
  assert.deepEqual(parseJson('{"a": [1, null]}'), { a: [1, null] });
  for (const text of ["", "{", "undefined", "a: b"]) {
    assert.equal(parseJson(text), undefined, text);
  }
});

Deno.test("sortKeys sorts the keys of all mappings, and keeps lists", () => {
  const value = { b: [{ d: 1, c: null }, 2], a: "x" };
  assert.equal(
    JSON.stringify(sortKeys(value)),
    '{"a":"x","b":[{"c":null,"d":1},2]}',
  );
});
