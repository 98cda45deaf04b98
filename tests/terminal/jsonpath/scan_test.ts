import assert from "node:assert/strict";
import { readQuoted, unescape } from "../../../terminal/jsonpath/scan.ts";

Deno.test("readQuoted names the place of a quote that is never closed", () => {
  assert.throws(
    () => readQuoted({ source: `ab"c`, at: 2 }),
    { message: "expected a closing quote at character 3" },
  );
});

Deno.test("unescape knows line ends, tabs and code points and keeps other characters", () => {
  assert.equal(unescape("a\\n\\t\\r\\u0041\\.\\\\"), "a\n\t\rA.\\");
});
