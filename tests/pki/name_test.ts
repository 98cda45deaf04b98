import assert from "node:assert/strict";
import { readDer } from "../../pki/der.ts";
import { describeName, nameOf } from "../../pki/name.ts";
import { assertConfigError } from "./_errors.ts";

function read(hex: string) {
  return nameOf(readDer(Uint8Array.fromHex(hex), "thing"));
}

const organizationA = "3008060355040a0c0161";
const organizationB = "3008060355040a0c0162";
const commonName = "300806035504030c0163";

Deno.test("nameOf reads every organization of a multi-valued part", () => {
  const name = read(`30163114${organizationA}${organizationB}`);
  assert.deepEqual(name.organizations, ["a", "b"]);
  assert.equal(name.commonName, undefined);
});

Deno.test("nameOf reads organizations of several parts", () => {
  const name = read(
    `3024310a${organizationB}310a${organizationA}310a${commonName}`,
  );
  assert.deepEqual(name.organizations, ["b", "a"]);
  assert.equal(name.commonName, "c");
});

Deno.test("nameOf keeps the bytes of the whole name", () => {
  assert.equal(
    read(`300c310a${commonName}`).der.toHex(),
    `300c310a${commonName}`,
  );
});

Deno.test("nameOf skips parts it does not know, whatever they hold", () => {
  assert.deepEqual(read("300c310a3008060355040b0c0161").organizations, []);
  assert.deepEqual(read("300c310a3008060355040b010161").organizations, []);
});

Deno.test("nameOf reads an empty name", () => {
  assert.deepEqual(read("3000").organizations, []);
});

for (
  const [what, hex, message] of [
    ["an empty part", "30023100", "a name part is empty"],
    [
      "a part that is no set",
      `300c300a${commonName}`,
      "expected tag 0x31, found 0x30",
    ],
    ["a part without a value", "3009310730050603550403", "a part is missing"],
    [
      "an organization that is no text",
      "300c310a3008060355040a020161",
      "a name is not text",
    ],
  ] as const
) {
  Deno.test(`nameOf refuses ${what}`, () => {
    assertConfigError(() => read(hex), `Cannot read thing: ${message}`);
  });
}

Deno.test("describeName lists organizations and common name", () => {
  const name = read(
    `30223114${organizationA}${organizationB}310a${commonName}`,
  );
  assert.equal(describeName(name), "O=a, O=b, CN=c");
});

Deno.test("describeName of an empty name says so", () => {
  assert.equal(describeName(read("3000")), "an empty name");
});
