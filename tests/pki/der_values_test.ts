import assert from "node:assert/strict";
import { type Der, readDer } from "../../pki/der.ts";
import {
  readBoolean,
  readFlags,
  readOid,
  readSmallNumber,
  readTime,
  readUnsigned,
  readWholeBytes,
  takeText,
} from "../../pki/der_values.ts";
import { assertConfigError } from "./_errors.ts";

function read(hex: string): Der {
  return readDer(Uint8Array.fromHex(hex), "thing");
}

function readText(tag: string, text: string): Der {
  const content = new TextEncoder().encode(text).toHex();
  const length = (content.length / 2).toString(16).padStart(2, "0");
  return read(tag + length + content);
}

Deno.test("readBoolean knows the two spellings of DER", () => {
  assert.equal(readBoolean(read("0101ff")), true);
  assert.equal(readBoolean(read("010100")), false);
});

Deno.test("readUnsigned drops the zero that keeps a number positive", () => {
  assert.equal(readUnsigned(read("02020080")).toHex(), "80");
  assert.equal(readUnsigned(read("020100")).toHex(), "00");
  assert.equal(readUnsigned(read("02017f")).toHex(), "7f");
});

for (
  const [hex, oid] of [
    ["06032b6570", "1.3.101.112"],
    ["0603550403", "2.5.4.3"],
    ["060100", "0.0"],
    ["06028837", "2.999"],
    ["060a2b06010401d679020402", "1.3.6.1.4.1.11129.2.4.2"],
    ["060b6983ffffffffffffffff7f", "2.25.36893488147419103231"],
  ] as const
) {
  Deno.test(`readOid reads ${oid}`, () =>
    assert.equal(readOid(read(hex)), oid));
}

Deno.test("readFlags returns the positions of set bits", () => {
  assert.deepEqual(readFlags(read("030205a0")), [0, 2]);
  assert.deepEqual(readFlags(read("0303070080")), [8]);
  assert.deepEqual(readFlags(read("030100")), []);
});

for (
  const [hex, text] of [
    ["0c035ac3ab", "Zë"],
    ["13086f733a61646d696e", "os:admin"],
    ["1204" + "30203132", "0 12"],
    ["1402" + "5aeb", "Zë"],
    ["1601" + "40", "@"],
    ["1e04" + "005a00eb", "Zë"],
  ] as const
) {
  Deno.test(`readText reads ${text} in type 0x${hex.slice(0, 2)}`, () => {
    assert.equal(takeText(read(hex)), text);
  });
}

for (
  const [type, tag, text, iso] of [
    ["UTCTime", "17", "490203040506Z", "2049-02-03T04:05:06.000Z"],
    ["UTCTime", "17", "500203040506Z", "1950-02-03T04:05:06.000Z"],
    ["UTCTime", "17", "240229235959Z", "2024-02-29T23:59:59.000Z"],
    ["GeneralizedTime", "18", "20500101000000Z", "2050-01-01T00:00:00.000Z"],
    ["GeneralizedTime", "18", "99991231235959Z", "9999-12-31T23:59:59.000Z"],
    ["GeneralizedTime", "18", "00500101000000Z", "0050-01-01T00:00:00.000Z"],
  ] as const
) {
  Deno.test(`readTime reads ${type} ${text}`, () => {
    assert.equal(readTime(readText(tag, text)).toISOString(), iso);
  });
}

for (
  const [what, run, message] of [
    [
      "a truth value of 1",
      () => readBoolean(read("010101")),
      "a boolean is not DER",
    ],
    [
      "an empty truth value",
      () => readBoolean(read("0100")),
      "a boolean is not DER",
    ],
    ["an empty number", () => readUnsigned(read("0200")), "a number is empty"],
    [
      "a negative number",
      () => readUnsigned(read("0201ff")),
      "a number is negative",
    ],
    [
      "a number with a zero too many",
      () => readUnsigned(read("0202007f")),
      "a number is not DER",
    ],
    [
      "a large version",
      () => readSmallNumber(read("02020100")),
      "a number is too large",
    ],
    [
      "an empty object identifier",
      () => readOid(read("0600")),
      "an object identifier has a wrong length",
    ],
    [
      "an endless object identifier",
      () => readOid(read(`0641${"01".repeat(65)}`)),
      "an object identifier has a wrong length",
    ],
    [
      "a padded object identifier",
      () => readOid(read("06032b8001")),
      "an object identifier is not DER",
    ],
    [
      "an object identifier cut off",
      () => readOid(read("06022b81")),
      "an object identifier is truncated",
    ],
    [
      "odd bits where bytes should be",
      () => readWholeBytes(read("030204a0")),
      "a bit string has odd bits",
    ],
    [
      "an empty bit string",
      () => readWholeBytes(read("0300")),
      "a bit string has odd bits",
    ],
    [
      "flags without a count",
      () => readFlags(read("0300")),
      "a bit string has a wrong length",
    ],
    [
      "more than 7 unused bits",
      () => readFlags(read("030208a0")),
      "a bit string has a wrong length",
    ],
    [
      "unused bits of nothing",
      () => readFlags(read("030101")),
      "a bit string has a wrong length",
    ],
    [
      "a number as a name",
      () => takeText(read("020101")),
      "a name is not text",
    ],
    [
      "wrong UTF-8",
      () => takeText(read("0c01ff")),
      "a string has characters its type does not allow",
    ],
    [
      "an odd UTF-16 text",
      () => takeText(read("1e0141")),
      "a string has characters its type does not allow",
    ],
    [
      "letters among digits",
      () => takeText(read("120161")),
      "a string has characters its type does not allow",
    ],
    [
      "a line feed in a printable text",
      () => takeText(readText("13", "a\n")),
      "a string has characters its type does not allow",
    ],
    [
      "a time without seconds",
      () => readTime(readText("17", "2402290102Z")),
      "a time is not DER",
    ],
    [
      "a time with an offset",
      () => readTime(readText("17", "240229010203+0100")),
      "a time is not DER",
    ],
    [
      "a time with a fraction",
      () => readTime(readText("18", "20240229010203.5Z")),
      "a time is not DER",
    ],
    [
      "a time in a text",
      () => readTime(readText("13", "240229010203Z")),
      "a time is not DER",
    ],
    [
      "a day that never was",
      () => readTime(readText("17", "230229010203Z")),
      'invalid time "230229010203Z"',
    ],
    [
      "month 13",
      () => readTime(readText("17", "231329010203Z")),
      'invalid time "231329010203Z"',
    ],
    [
      "hour 24",
      () => readTime(readText("17", "230128240000Z")),
      'invalid time "230128240000Z"',
    ],
    [
      "second 60",
      () => readTime(readText("17", "230128101060Z")),
      'invalid time "230128101060Z"',
    ],
  ] as const
) {
  Deno.test(`DER values: ${what} is refused`, () => {
    assertConfigError(run, `Cannot read thing: ${message}`);
  });
}
