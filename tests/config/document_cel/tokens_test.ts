import assert from "node:assert/strict";
import { ExpressionError } from "../../../config/document_cel/syntax.ts";
import { tokenize } from "../../../config/document_cel/tokens.ts";

function kinds(text: string): string {
  return tokenize(text).map(({ kind, text }) => `${kind} ${text}`).join("|");
}

Deno.test("tokenize distinguishes numbers", () => {
  assert.equal(
    kinds("1 0x1F 2u 0x2U .5 1.5 1e3 2.5e-3"),
    "int 1|int 0x1F|uint 2u|uint 0x2U|double .5|double 1.5|double 1e3|double 2.5e-3|end ",
  );
});

Deno.test("tokenize takes a dot behind a number for a dot unless digits follow", () => {
  assert.equal(kinds("1.e5"), "int 1|mark .|name e5|end ");
  assert.equal(kinds("1.5.5"), "double 1.5|double .5|end ");
});

Deno.test("tokenize tells texts and bytes apart, with all their quotes", () => {
  assert.equal(
    kinds(`'a' "b" '''c'd''' """e\n""" r'\\' bR"\\" b'x'`),
    `string 'a'|string "b"|string '''c'd'''|string """e\n"""|` +
      `string r'\\'|bytes bR"\\"|bytes b'x'|end `,
  );
});

Deno.test("tokenize tells words from names that begin like them", () => {
  assert.equal(
    kinds("true trues null in index r b"),
    "bool true|name trues|null null|mark in|name index|name r|name b|end ",
  );
});

Deno.test("tokenize takes the longest mark and omits comments", () => {
  assert.equal(
    kinds("<= < == != ! && || // = &\n?"),
    "mark <=|mark <|mark ==|mark !=|mark !|mark &&|mark |||mark ?|end ",
  );
});

Deno.test("tokenize gives places and names in back quotes", () => {
  assert.deepEqual(tokenize(" a.`b-c`"), [
    { kind: "name", text: "a", offset: 1 },
    { kind: "mark", text: ".", offset: 2 },
    { kind: "quoted", text: "b-c", offset: 3 },
    { kind: "end", text: "", offset: 8 },
  ]);
});

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

Deno.test("tokenize tells what is missing from what does not belong", () => {
  assert.throws(() => tokenize("'abc"), {
    message: "String is not closed",
    hint: "Close it with '",
  });
  assert.throws(() => tokenize("a @"), {
    message: 'Unexpected "@"',
    offset: 2,
    hint: undefined,
  });
  assert.throws(() => tokenize("a = b"), ExpressionError);
});
