import assert from "node:assert/strict";
import { keyName, keySplitter } from "../../terminal/keys.ts";

Deno.test("keys have names, however terminals spell them", () => {
  const sent = [
    ["\x1b[A", "up"],
    ["\x1bOB", "down"],
    ["\x1bOP", "f1"],
    ["\x1b[[B", "f2"],
    ["\x1b[19~", "f8"],
    ["\x1b[6~", "page-down"],
    ["\x1b[Z", "shift-tab"],
    ["\x1b[<64;10;5M", "wheel-up"],
    ["\x1b[<65;200;50M", "wheel-down"],
    ["\x1b[<0;10;5M", ""],
    ["\x1b[<0;10;5m", ""],
    ["\x1b[99~", ""],
    ["\x04", "ctrl-d"],
    ["\r", "enter"],
    ["\x1b", "esc"],
    ["/", "/"],
    ["ä", "ä"],
  ] as const;
  for (const [text, name] of sent) {
    const splitter = keySplitter();
    const keys = [...splitter.take(text), ...splitter.flush()];
    assert.deepEqual(keys.map(keyName), [name], JSON.stringify(text));
  }
});

Deno.test("a splitter cuts what was typed fast, and puts together what came in parts", () => {
  const splitter = keySplitter();
  assert.deepEqual(splitter.take("jk\x1b[A\x1b[<64;1;2Mq"), [
    "j",
    "k",
    "\x1b[A",
    "\x1b[<64;1;2M",
    "q",
  ]);
  assert.deepEqual(splitter.take("\x1b[<6"), []);
  assert.equal(splitter.waits(), true);
  assert.deepEqual(splitter.take("5;1;1M"), ["\x1b[<65;1;1M"]);
  assert.deepEqual(splitter.take("\x1bq"), ["\x1b", "q"]);
  assert.equal(splitter.waits(), false);
  // A stream of digits is no key; it is not kept for ever.
  assert.equal(splitter.take(`\x1b[${"1".repeat(100)}`).length, 102);
});
