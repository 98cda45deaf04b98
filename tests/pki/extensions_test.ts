import assert from "node:assert/strict";
import { encodeDer, encodeOid, encodeSequence } from "../../pki/der_encode.ts";
import { readDer } from "../../pki/der.ts";
import { type Extensions, readExtensions } from "../../pki/extensions.ts";
import { assertConfigError } from "./_errors.ts";

const critical = Uint8Array.of(0x01, 0x01, 0xff);
const notCritical = Uint8Array.of(0x01, 0x01, 0x00);

function extension(
  oid: string,
  valueHex: string,
  flag?: Uint8Array,
): Uint8Array {
  const value = encodeDer(0x04, Uint8Array.fromHex(valueHex));
  const parts = flag === undefined ? [value] : [flag, value];
  return encodeSequence(encodeOid(oid), ...parts);
}

function read(...extensions: readonly Uint8Array[]): Extensions {
  return readExtensions(readDer(encodeSequence(...extensions), "thing"));
}

Deno.test("readExtensions of nothing limits nothing and allows no signing", () => {
  assert.deepEqual(readExtensions(undefined), {
    keyUsage: undefined,
    extendedKeyUsage: undefined,
    isCa: false,
    pathLength: undefined,
    subjectAltNames: { dns: [], ips: [] },
    authorityKeyId: undefined,
    subjectKeyId: undefined,
    unknownCritical: [],
  });
});

Deno.test("readExtensions reads key usages in their order", () => {
  const { keyUsage } = read(extension("2.5.29.15", "03020106", critical));
  assert.deepEqual(keyUsage, ["keyCertSign", "cRLSign"]);
});

for (
  const [valueHex, isCa, pathLength] of [
    ["3000", false, undefined],
    ["30030101ff", true, undefined],
    ["30060101ff020100", true, 0],
    ["3003010100", false, undefined],
  ] as const
) {
  Deno.test(`readExtensions reads basic constraints ${valueHex}`, () => {
    const found = read(extension("2.5.29.19", valueHex, critical));
    assert.deepEqual([found.isCa, found.pathLength], [isCa, pathLength]);
  });
}

Deno.test("readExtensions reads a CA key identifier that has only a name", () => {
  assert.equal(
    read(extension("2.5.29.35", "3003820101")).authorityKeyId,
    undefined,
  );
});

Deno.test("readExtensions lists critical extensions it does not understand", () => {
  const found = read(
    extension("2.5.29.30", "3000", critical),
    extension("2.5.29.31", "3000", notCritical),
    extension("2.5.29.32", "3000"),
  );
  assert.deepEqual(found.unknownCritical, ["2.5.29.30"]);
});

for (
  const [what, given, message] of [
    [
      "an extension twice",
      [extension("2.5.29.14", "0400"), extension("2.5.29.14", "0400")],
      "extension 2.5.29.14 occurs twice",
    ],
    [
      "an address of 5 bytes",
      [extension("2.5.29.17", "300787050102030405")],
      "an address is malformed",
    ],
    [
      "a DNS name with a zero byte",
      [extension("2.5.29.17", "3005820361002e")],
      "a DNS name is malformed",
    ],
    [
      "an empty DNS name",
      [extension("2.5.29.17", "30028200")],
      "a DNS name is malformed",
    ],
    [
      "a value followed by bytes",
      [extension("2.5.29.14", "0400ff")],
      "it has trailing bytes",
    ],
    [
      "a value that is not an octet string",
      [encodeSequence(encodeOid("2.5.29.14"), Uint8Array.of(2, 1, 1))],
      "expected tag 0x04, found 0x02",
    ],
  ] as const
) {
  Deno.test(`readExtensions refuses ${what}`, () => {
    assertConfigError(() => read(...given), `Cannot read thing: ${message}`);
  });
}
