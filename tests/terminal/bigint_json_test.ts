import assert from "node:assert/strict";
import { writeExactly } from "../../terminal/bigint_json.ts";

Deno.test("writeExactly writes safe whole numbers as numbers and larger ones as text", () => {
  assert.equal(
    JSON.stringify(
      { a: 7n, b: 2n ** 53n, c: -(2n ** 53n), d: 1.5 },
      writeExactly,
    ),
    '{"a":7,"b":"9007199254740992","c":"-9007199254740992","d":1.5}',
  );
});
