import assert from "node:assert/strict";
import {
  int,
  integer,
  u16,
  u32,
  u64,
  u8,
} from "../../../../config/documents/scalars/number.ts";
import { assertReadings, assertRefused, reading } from "../_parse_cases.ts";

Deno.test("whole numbers are read in all notations and written decimal", () => {
  assertReadings(int, [
    ["0", "0"],
    ["-0", "0"],
    ["+5", "5"],
    ["-5", "-5"],
    ["0x1f", "31"],
    ["-0X1F", "-31"],
    ["0o17", "15"],
    ["017", "15"],
    ["08", "8"],
    ["0b11", "3"],
    ["1_000", "1000"],
    ["0x_1", "1"],
    ["1.0", "1"],
    ["1.", "1"],
    ["1e3", "1000"],
    ["1.5e1", "15"],
    [".0", "0"],
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
  ]);
});

Deno.test("numbers in quotes are refused", () => {
  assert.equal(reading(u8, '"1"'), 'fault: "1" in quotes is a string');
  assert.equal(reading(u8, '"a"'), 'fault: "a" is not an integer');
});

Deno.test("whole numbers stay within their bits", () => {
  assertReadings(u8, [["255", "255"]]);
  assertReadings(u16, [["65535", "65535"]]);
  assertReadings(u32, [["4294967295", "4294967295"]]);
  assertReadings(u64, [["18446744073709551615", "18446744073709551615"]]);
  assert.equal(reading(u8, "256"), "fault: 256 is more than 255");
  assert.equal(reading(u16, "-1"), "fault: -1 is less than 0");
  assertRefused(u32, ["4294967296", "1e10"]);
  assertRefused(u64, ["18446744073709551616"]);
  assertRefused(int, ["9223372036854775808", "-9223372036854775809"]);
});

Deno.test("a schema bounds numbers as far as JSON can write the bounds", () => {
  assert.deepEqual(integer(1n, 5n).json, {
    type: "integer",
    minimum: 1,
    maximum: 5,
  });
  assert.deepEqual(u64.json, { type: "integer", minimum: 0 });
  assert.deepEqual(int.json, { type: "integer" });
  assert.equal(integer(1n, 5n).expected, "a whole number from 1 to 5");
});
