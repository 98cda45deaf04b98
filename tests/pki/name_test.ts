import assert from "node:assert/strict";
import { readDer } from "../../pki/der.ts";
import { describeName, encodeName, readName } from "../../pki/name.ts";
import { assertConfigError } from "./_errors.ts";

function read(hex: string) {
  return readName(readDer(Uint8Array.fromHex(hex), "thing"));
}

const organizationA = "3008060355040a0c0161";
const organizationB = "3008060355040a0c0162";
const commonName = "300806035504030c0163";

Deno.test("readName reads every organization of a multi-valued part", () => {
  const name = read(`30163114${organizationA}${organizationB}`);
  assert.deepEqual(name.organizations, ["a", "b"]);
  assert.equal(name.commonName, undefined);
});

Deno.test("readName skips parts it does not know, whatever they hold", () => {
  assert.deepEqual(read("300c310a3008060355040b0c0161").organizations, []);
  assert.deepEqual(read("300c310a3008060355040b010161").organizations, []);
});

for (
  const [what, hex, message] of [
    ["an empty part", "30023100", "a name part is empty"],
    [
      "a part that is not a set",
      `300c300a${commonName}`,
      "expected tag 0x31, found 0x30",
    ],
    ["a part without a value", "3009310730050603550403", "a part is missing"],
    [
      "an organization that is not text",
      "300c310a3008060355040a020161",
      "a name is not text",
    ],
  ] as const
) {
  Deno.test(`readName refuses ${what}`, () => {
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

Deno.test("encodeName puts all organizations into one part, in the order of DER", () => {
  const organizations = ["os:reader", "os:etcd:backup", "os:admin"];
  assert.equal(
    encodeName({ organizations }).toHex(),
    "303c" + "313a" +
      "300f060355040a1308" + "6f733a61646d696e" +
      "3010060355040a1309" + "6f733a726561646572" +
      "3015060355040a130e" + "6f733a657463643a6261636b7570",
  );
});

Deno.test("encodeName writes what PrintableString cannot hold as UTF8String", () => {
  assert.equal(
    encodeName({ organizations: ["é"] }).toHex(),
    "300d310b3009060355040a0c02" + "c3a9",
  );
  assert.equal(
    encodeName({ organizations: ["a*"] }).toHex(),
    "300d310b3009060355040a0c02" + "612a",
  );
});

Deno.test("encodeName writes the common name after the organizations", () => {
  assert.equal(
    encodeName({ organizations: ["a"], commonName: "b" }).toHex(),
    "3018310a3008060355040a130161310a30080603550403130162",
  );
});

Deno.test("encodeName refuses an empty value", () => {
  assertConfigError(
    () => encodeName({ organizations: [""] }),
    'Cannot write a subject: "" is not an organization or name',
  );
});
