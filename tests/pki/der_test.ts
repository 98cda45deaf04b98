import fc from "fast-check";
import {
  type Der,
  maxDerBytes,
  partAt,
  readDer,
  readElements,
  readSequence,
  requireTag,
} from "../../pki/der.ts";
import { assertConfigError, onlyConfigErrors } from "./_errors.ts";

function read(hex: string): Der {
  return readDer(Uint8Array.fromHex(hex), "thing");
}

for (
  const [what, hex, message] of [
    ["nothing", "", "data is truncated"],
    ["a tag alone", "30", "data is truncated"],
    ["content that is cut off", "0403aabb", "data is truncated"],
    ["a length that is cut off", "048201", "data is truncated"],
    ["a length of 4 GiB", "0484ffffffff00", "data is truncated"],
    ["a length of 5 bytes", "04850000000001aa", "length is not DER"],
    ["a length without an end", "3080", "length is not DER"],
    ["a long form for a short length", "048103aabbcc", "length is not DER"],
    [
      "a length with a leading zero",
      `04820080${"00".repeat(128)}`,
      "length is not DER",
    ],
    ["a long tag", "1f8101", "long tags are not supported"],
    ["bytes after the end", "040100ff", "it has trailing bytes"],
  ] as const
) {
  Deno.test(`readDer refuses ${what}`, () => {
    assertConfigError(() => read(hex), `Cannot read thing: ${message}`);
  });
}

Deno.test("readDer refuses more than it is bound to", () => {
  assertConfigError(
    () => readDer(new Uint8Array(maxDerBytes + 1), "thing"),
    "Cannot read thing: 262145 bytes are more than 262144",
  );
});

Deno.test("readElements refuses what has no parts", () => {
  assertConfigError(
    () => readElements(read("0400")),
    "Cannot read thing: expected a structure",
  );
});

Deno.test("readElements refuses to go deeper than 16 levels", () => {
  let hex = "0500";
  for (let level = 0; level < 20; level++) {
    hex = `30${(hex.length / 2).toString(16).padStart(2, "0")}${hex}`;
  }
  let der = read(hex);
  for (let level = 0; level < 16; level++) {
    der = partAt(der, readElements(der), 0);
  }
  assertConfigError(
    () => readElements(der),
    "Cannot read thing: nested too deeply",
  );
});

Deno.test("readElements refuses more than 4096 parts", () => {
  const size = (2 * 4097).toString(16);
  assertConfigError(
    () => readElements(read(`3082${size}${"0500".repeat(4097)}`)),
    "Cannot read thing: too many parts",
  );
});

Deno.test("requireTag names both tags", () => {
  assertConfigError(
    () => requireTag(read("0500"), 0x30),
    "Cannot read thing: expected tag 0x30, found 0x05",
  );
});

Deno.test("readSequence refuses another structure", () => {
  assertConfigError(
    () => readSequence(read("3100")),
    "Cannot read thing: expected tag 0x30, found 0x31",
  );
});

Deno.test("partAt refuses a part that is not there", () => {
  const der = read("3000");
  assertConfigError(
    () => partAt(der, readElements(der), 0),
    "Cannot read thing: a part is missing",
  );
});

Deno.test("reading arbitrary bytes to the bottom throws nothing but ConfigError", () => {
  const walk = (der: Der): void => readElements(der).forEach(walkTolerantly);
  const walkTolerantly = (der: Der) => onlyConfigErrors(() => walk(der));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    onlyConfigErrors(() => walk(readDer(bytes, "thing")));
  }));
});
