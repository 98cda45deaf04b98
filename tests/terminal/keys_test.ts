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
