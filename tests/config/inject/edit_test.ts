import assert from "node:assert/strict";
import {
  commentsIn,
  edited,
  lineEnd,
  lineStart,
  nextLine,
  passComments,
} from "../../../config/inject/edit.ts";

Deno.test("edited makes edits by place, and those at one place in their order", () => {
  const edits = [
    { from: 4, to: 4, text: "X" },
    { from: 0, to: 1, text: "" },
    { from: 4, to: 5, text: "Y" },
  ];
  assert.equal(edited("abcdef", edits), "bcdXYf");
});

Deno.test("edited refuses edits that overlap", () => {
  const edits = [{ from: 0, to: 3, text: "" }, { from: 2, to: 4, text: "" }];
  assert.equal(edited("abcdef", edits), undefined);
});

Deno.test("lines start behind a line end and end before one", () => {
  const text = "ab\r\ncd\nef";
  assert.equal(lineStart(text, 0), 0);
  assert.equal(lineStart(text, 5), 4);
  assert.equal(lineStart(text, 7), 7);
  assert.equal(lineEnd(text, 0), 2);
  assert.equal(lineEnd(text, 4), 6);
  assert.equal(lineEnd(text, 8), 9);
});

Deno.test("nextLine stays at the start of a line", () => {
  const text = "ab\ncd";
  assert.equal(nextLine(text, 0), 3);
  assert.equal(nextLine(text, 3), 3);
  assert.equal(nextLine(text, 4), 5);
});

Deno.test("passComments passes comments that are indented enough", () => {
  const text = "a\n  # b\n    # c\n # d\n";
  assert.equal(passComments(text, 2, 2), 16);
  assert.equal(passComments(text, 2, 1), 21);
  assert.equal(passComments(text, 2, 3), 2);
  assert.equal(passComments(text, 0, 0), 0);
});

Deno.test("commentsIn tells comments from texts with a hash", () => {
  const text = `--- # one
a: b#c # two
d: "# e" # three
f: | # four
  # g
h: '
  # i'
`;
  assert.deepEqual(commentsIn(text), ["# one", "# two", "# three", "# four"]);
  assert.deepEqual(commentsIn("a: b\n"), []);
  assert.deepEqual(commentsIn("|\n# a\n"), []);
});
