import assert from "node:assert/strict";
import {
  parseWholeNumber,
  staysText,
} from "../../../config/tree/implicit_type.ts";

const texts = [
  ...["a", "10.0.0.1", "::1", "v1.2", "1.2.3", "1h30m", "=", "<", "+a", "."],
  ...["tRue", "nUll", "yEs", "oN", "-.nan", "+", "-", "..", "trueish", "nope"],
  ...["0o8", "0b2", "0x", "0xg", "_1", "1e", "0x1p-2", "0x1_p", "1-1", "._5"],
  ...[".5__0", ".5_", "1e999", ".1e999", "-1e309", "1:60", "1:2:", "1,000"],
  ...["0xFFFFFFFFFFFFFFFFF", "0o7777777777777777777777777"],
  ...["+0xFFFFFFFFFFFFFFFF", "-0x8000000000000001"],
  ...["2001-02-29", "1900-2-29", "2001-13-1", "2001-1-32", "2001-0-1"],
  ...["2001-1", "20011-1-1", "2001-1-1T1:1:1", "2001-1-1T24:1:1Z"],
  ...["2001-1-1T1:1:60Z", "2001-1-1T1:1:1+25:00", "2001-1-1T1:1:1z"],
  ...["2001-12-14 21:59:43.10 -5", "2001-1-1 1:60:1"],
];

const others = [
  ...["", "~", "null", "Null", "NULL", "true", "True", "TRUE", "FALSE", "<<"],
  ...["y", "Y", "yes", "Yes", "n", "No", "NO", "on", "On", "off", "OFF"],
  ...[".inf", "+.inf", "-.INF", ".nan", ".NaN", "0", "-0", "-0.0", "+1", "-1"],
  ...["0x1f", "-0x1F", "0X1F", "0o17", "0O7", "017", "0b11", "0B1", "08", "00"],
  ...["1_000", "1_", "0x_1", "0_1", "1.", "1.5", ".5", ".5_0", ".5e1_0", "1e3"],
  ...["1.5e+3", "1_000.5", "1e308", "0e0", "9223372036854775808"],
  ...["18446744073709551615", "18446744073709551616", "0xFFFFFFFFFFFFFFFF"],
  ...["+0x7FFFFFFFFFFFFFFF", "-0x8000000000000000", "12:30:45", "+1:2.5_"],
  ...["2001-01-01", "2001-1-1", "2000-2-29", "0000-1-1", "2001-1-1T1:1:1Z"],
  ...["2001-1-1t1:1:1.5+01:00", "2001-1-1T1:1:1+24:60", "2001-1-1 1:1:1"],
  "2001-1-1   1:1:1,55",
];

Deno.test("staysText: other values are texts", () => {
  assert.deepEqual(texts.filter((text) => !staysText(text)), []);
});

Deno.test("words, numbers and dates of YAML 1.1 and 1.2 do not stay texts", () => {
  assert.deepEqual(others.filter((text) => staysText(text)), []);
});

const whole: readonly (readonly [string, bigint])[] = [
  ["0", 0n],
  ["-5", -5n],
  ["+5", 5n],
  ["1_000", 1000n],
  ["-_1", -1n],
  ["0x1F", 31n],
  ["-0x_1", -1n],
  ["0o17", 15n],
  ["017", 15n],
  ["08", 8n],
  ["0b11", 3n],
  ["1.0", 1n],
  ["1e3", 1000n],
  ["-1.5e1", -15n],
  ["18446744073709551616", 18446744073709551616n],
];

Deno.test("whole numbers are read in every notation", () => {
  for (const [text, value] of whole) {
    assert.equal(parseWholeNumber(text), value, text);
  }
});

Deno.test("fractions, dates and texts are not whole numbers", () => {
  const none = ["1.5", ".5", ".0_", "_1", "0x", "0o8", "1e400", ".inf", "a"];
  for (const text of [...none, "", "2001-1-1", "12:30", "1,000"]) {
    assert.equal(parseWholeNumber(text), undefined, text);
  }
});
