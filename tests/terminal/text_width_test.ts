import assert from "node:assert/strict";
import stringWidth from "string-width";
import { cutMiddle } from "../../terminal/table.ts";
import {
  padColumns,
  takeColumns,
  takeLastColumns,
  textWidth,
} from "../../terminal/text_width.ts";

const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";

Deno.test("a text takes the columns that a terminal shows it in", () => {
  const widths = {
    "web-1": 5,
    "日本語": 6,
    "한글": 4,
    "ｶﾞ": 2,
    "👍": 2,
    [family]: 2,
    "🇩🇪": 2,
    "e\u0301": 1,
    "…✓●": 3,
    "": 0,
  };
  for (const [text, width] of Object.entries(widths)) {
    assert.equal(textWidth(text), width, text);
  }
});

Deno.test("texts are cut between whole characters, and padded to a width", () => {
  assert.equal(takeColumns("日本語", 5), "日本");
  assert.equal(takeColumns(`a${family}b`, 2), "a");
  assert.equal(takeColumns(`a${family}b`, 3), `a${family}`);
  assert.equal(takeColumns("plain", -1), "");
  assert.equal(takeLastColumns("日本語", 5), "本語");
  assert.equal(padColumns("日本", 6), "日本  ");
  assert.equal(cutMiddle("日本語の長い名前", 9), "日…い名前");
});

Deno.test("assigned characters are as wide as an independent library finds", () => {
  const others: string[] = [];
  for (let code = 0x80; code < 0x20000; code++) {
    const text = String.fromCodePoint(code);
    if (/[\p{Cn}\p{Cs}\p{sc=Han}\p{sc=Hang}\p{sc=Tang}]/v.test(text)) continue;
    if (textWidth(text) !== stringWidth(text)) others.push(code.toString(16));
  }
  assert.deepEqual(others, []);
});
