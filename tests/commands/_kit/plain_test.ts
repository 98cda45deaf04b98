import assert from "node:assert/strict";
import { cell, plain } from "../../../commands/_kit/plain.ts";

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
