import assert from "node:assert/strict";
import { readDocuments } from "../../../config/tree/read.ts";

const texts: readonly (readonly [text: string, fault: string])[] = [
  ["foo: [\n", "line 1, column 6: [ is not closed"],
  ["foo: [a, b\nbar: 1\n", "line 1, column 6: [ is not closed"],
  ["foo: {a: [1]\nbar: 2\n", "line 1, column 6: { is not closed"],
  ["a:\n  b: [x, {y: z},\n  c: 1\n", "line 2, column 6: [ is not closed"],
  ['a: [b]\nfoo: "abc\nbar: 1\n', 'line 2, column 6: " is not closed'],
  ["foo: 'abc [\n", "line 1, column 6: ' is not closed"],
  ["{a: b\n", "line 1, column 1: { is not closed"],
  ["# [\na: |\n  [x\nb: [1\n", "line 4, column 4: [ is not closed"],
  ["a: b: c\n", "line 1, column 5: bad indentation of a mapping entry"],
];

for (const [text, fault] of texts) {
  Deno.test(`the fault of ${JSON.stringify(text)} is at its place`, () => {
    assert.throws(() => readDocuments(text, "f"), {
      message: `Cannot read "f" at ${fault}`,
      status: 2,
    });
  });
}
