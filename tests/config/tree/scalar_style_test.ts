import assert from "node:assert/strict";
import {
  chomping,
  inlineScalar,
  scalarStyle,
  startsBlank,
} from "../../../config/tree/scalar_style.ts";

const plain = [
  ...["a", "plain text", "10.0.0.1", "::1", "fd00::/8", "key=value", "a, b"],
  ...["https://a.example:6443/x?y=z", "ghcr.io/a/b:v1.2", "a#b", "a]b", "it's"],
  ...["x {y}", "日本", "é\xa0é", "?a", ":a", "-a", "=", "1h30m", "a\\b", '5"'],
];

const lookalikes = [
  ...["", "y", "No", "on", "OFF", "true", "null", "~", "1", "-1", "0x1f"],
  ...["0o17", "017", "0b11", "1_000", "1.5", "1e3", ".5_0", ".inf", ".nan"],
  ...["12:30:45", "2001-1-1", "<<", "-0", "18446744073709551615", "08"],
];

const single: readonly (readonly [string, string])[] = [
  ["a: b", "'a: b'"],
  ["a:", "'a:'"],
  ["a #b", "'a #b'"],
  ["#a", "'#a'"],
  ["- a", "'- a'"],
  ["-", "'-'"],
  ["?", "'?'"],
  [": a", "': a'"],
  ["---", "'---'"],
  ["--- a", "'--- a'"],
  ["...", "'...'"],
  ["[a]", "'[a]'"],
  ["{a}", "'{a}'"],
  [", a", "', a'"],
  ["*a", "'*a'"],
  ["&a", "'&a'"],
  ["!a", "'!a'"],
  ["|", "'|'"],
  [">", "'>'"],
  ["'a'", "'''a'''"],
  ['"a"', `'"a"'`],
  ["%a", "'%a'"],
  ["@a", "'@a'"],
  ["`a", "'`a'"],
  [" a", "' a'"],
  ["a ", "'a '"],
  [" ", "' '"],
  [`'a' "b": c`, `'''a'' "b": c'`],
];

const double: readonly (readonly [string, string])[] = [
  ["a\tb", String.raw`"a\tb"`],
  ["\t", String.raw`"\t"`],
  ["\0", String.raw`"\0"`],
  ["\x07\b\v\f\x1b", String.raw`"\a\b\v\f\e"`],
  ["\r", String.raw`"\r"`],
  ["a\r\nb", String.raw`"a\r\nb"`],
  ["\x7f", String.raw`"\x7F"`],
  ["\x80", String.raw`"\x80"`],
  ["\x85", String.raw`"\N"`],
  ["a\ufeff", String.raw`"a\uFEFF"`],
  ["\ufeffa b", String.raw`"\uFEFF\x61\x20\x62"`],
  ["\ufeff\xa0", String.raw`"\uFEFF\_"`],
  ["\uffff", String.raw`"\uFFFF"`],
  ["😀", String.raw`"\U0001F600"`],
  ["é\0", String.raw`"é\0"`],
  ["a\\b\t", String.raw`"a\\b\t"`],
  ['"q"\t', String.raw`"\"q\"\t"`],
  ["\n", String.raw`"\n"`],
  [" \n ", String.raw`" \n "`],
  ["\u3000\n", '"\u3000\\n"'],
  ["a \nb", String.raw`"a \nb"`],
  ["a\nb ", String.raw`"a\nb "`],
  ["a\n😀", String.raw`"a\n\U0001F600"`],
  ["a\u2028b", String.raw`"a\Lb"`],
  ["a\u2029\nb", String.raw`"a\P\nb"`],
  ["\ud800a", '"\ufffda"'],
];

const lines = [
  ...["a\nb", "a\nb\n", "a\n\n", "\na", " a\nb", "\ta\nb", "a\n b", "a\tb\n"],
  ...["a: b\n# c\n---\n", "\xa0x\ny", '\\\n"\n', "é\n日本"],
];

Deno.test("texts without syntax stand as they are", () => {
  for (const text of plain) {
    assert.equal(scalarStyle(text), "plain", text);
    assert.equal(inlineScalar(text, "plain"), text);
  }
});

Deno.test("texts that look like something else get double quotes", () => {
  for (const text of lookalikes) {
    assert.equal(scalarStyle(text), "double", text);
    assert.equal(inlineScalar(text, "double"), `"${text}"`);
  }
});

Deno.test("scalarStyle: numbers stay plain", () => {
  for (const text of lookalikes) {
    assert.equal(scalarStyle(text, { plain: true }), "plain", text);
  }
});

Deno.test("texts with syntax get single quotes", () => {
  for (const [text, written] of single) {
    assert.equal(scalarStyle(text), "single", text);
    assert.equal(inlineScalar(text, "single"), written);
  }
});

Deno.test("even what is not a text is quoted when it has syntax", () => {
  assert.equal(scalarStyle("a: b", { plain: true }), "single");
  assert.equal(scalarStyle("a\tb", { plain: true }), "double");
  assert.equal(scalarStyle("a\nb", { plain: true }), "literal");
});

Deno.test("texts with special characters get double quotes and escapes", () => {
  for (const [text, written] of double) {
    const style = scalarStyle(text);
    assert.equal(style, "double", written);
    assert.equal(inlineScalar(text, style), written);
  }
});

Deno.test("lines that a block can show become a block", () => {
  for (const text of lines) {
    assert.equal(scalarStyle(text), "literal", JSON.stringify(text));
  }
});

Deno.test("a block says what becomes of the line breaks at its end", () => {
  assert.equal(chomping("a\nb"), "-");
  assert.equal(chomping("a\nb\n"), "");
  assert.equal(chomping("a\nb\n\n"), "+");
});

Deno.test("white space at the start of a block hides its indentation", () => {
  assert.deepEqual(["\na", " a", "\ta", "a\n b"].map(startsBlank), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("scalarStyle: values special only in YAML 1.1 may be in single quotes", () => {
  const quotes = "single";
  for (const text of ["off", "y", "12:30:00", "<<"]) {
    assert.equal(scalarStyle(text), "double", text);
    assert.equal(scalarStyle(text, { quotes }), "single", text);
  }
  for (const text of ["", "64", "null", "true", "1.0", "2001-01-01"]) {
    assert.equal(scalarStyle(text, { quotes }), "double", text);
  }
});
