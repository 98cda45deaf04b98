import assert from "node:assert/strict";
import { misread } from "../../../lib/text/text_position.ts";

Deno.test("an error names the file, the place when there is one, and the fault", () => {
  const error = misread("f", { line: 2, column: 3 }, "it is odd", "Do even");
  assert.equal(error.message, 'Cannot read "f" at line 2, column 3: it is odd');
  assert.equal(error.hint, "Do even");
  assert.equal(error.status, 2);
  assert.deepEqual(error.at, { line: 2, column: 3 });
  assert.equal(error.fault, "it is odd");
  assert.equal(
    misread("f", undefined, "it is odd").message,
    'Cannot read "f": it is odd',
  );
});
