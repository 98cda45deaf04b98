import assert from "node:assert/strict";
import {
  accept,
  expectedError,
  match,
  readQuoted,
  skipSpaces,
  unescape,
} from "../../../terminal/jsonpath/scan.ts";

Deno.test("scanner takes what comes next and stays where nothing fits", () => {
  const scanner = { source: "  ab12", at: 0 };
  skipSpaces(scanner);
  assert.equal(accept(scanner, "ba"), false);
  assert.equal(accept(scanner, "ab"), true);
  assert.equal(match(scanner, /[a-z]+/y), undefined);
  assert.equal(match(scanner, /\d+/y), "12");
  assert.equal(scanner.at, 6);
});

Deno.test("readQuoted takes either kind of quote with escaped quotes inside", () => {
  const scanner = { source: `'a\\'b'"c'"x`, at: 0 };
  assert.equal(readQuoted(scanner), "a\\'b");
  assert.equal(readQuoted(scanner), "c'");
  assert.equal(readQuoted(scanner), undefined);
});

Deno.test("readQuoted names the place of a quote that is never closed", () => {
  assert.throws(
    () => readQuoted({ source: `ab"c`, at: 2 }),
    { message: "expected a closing quote at character 3" },
  );
});

Deno.test("unescape knows line ends, tabs and code points and keeps other characters", () => {
  assert.equal(unescape("a\\n\\t\\r\\u0041\\.\\\\"), "a\n\t\rA.\\");
});

Deno.test("expectedError counts characters from 1", () => {
  assert.throws(() => expectedError({ source: "", at: 0 }, "more"), {
    message: "expected more at character 1",
  });
});
