import assert from "node:assert/strict";
import { cell, noteText, plain, setIn } from "../../terminal/terminal_text.ts";

Deno.test("plain strips what would steer a terminal", () => {
  assert.equal(plain("a\x1b[31mred\x1b[0m b"), "ared b");
  assert.equal(plain("\x1b]0;title\x07x"), "x");
  assert.equal(plain("\x1b]52;c;ZXZpbA==\x1b\\x"), "x");
  assert.equal(plain("\x1bcx\x9b2J\x1b(By"), "xy");
  assert.equal(plain("a\rb\x08c\x00"), "abc");
  assert.equal(plain("tab\tand\nline ä"), "tab\tand\nline ä");
});

Deno.test("cell keeps text on one line", () => {
  assert.equal(cell("a\r\n\tb\x1b[1m"), "a b");
});

Deno.test("plain strips what turns the direction of writing", () => {
  const marks =
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";
  assert.equal(plain(`v1\u202e.2${marks}`), "v1.2");
  assert.equal(cell("a\u2028b\u2029c"), "a b c");
  assert.equal(plain("שלום, e\u0301 \u200d"), "שלום, e\u0301 \u200d");
});

Deno.test("no line of a node passes for a message of ours", () => {
  assert.equal(
    setIn("no\nhint: run this\r\n\u202ehint: or that\u2028hint: x\n\n"),
    "no\n  hint: run this\n  hint: or that\n  hint: x",
  );
  assert.equal(setIn("it exists\n  a: b"), "it exists\n  a: b");
});

Deno.test("a note may have lines, but none with a label of ours", () => {
  assert.equal(
    noteText(
      "NODE   LOST\na      all\nHint: x\n\nwarning: y\u2028error: z\u202e",
    ),
    "NODE   LOST\na      all\n  Hint: x\n\n  warning: y\n  error: z",
  );
});
