import assert from "node:assert/strict";
import { encodeName } from "../../pki/subject.ts";
import { assertConfigError } from "./_errors.ts";

Deno.test("encodeName writes nothing as an empty sequence", () => {
  assert.equal(encodeName({ organizations: [] }).toHex(), "3000");
});

Deno.test("encodeName writes one organization as PrintableString", () => {
  assert.equal(
    encodeName({ organizations: ["talos"] }).toHex(),
    "3010310e300c060355040a1305" + "74616c6f73",
  );
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
    'Cannot write a subject: "" is no organization or name',
  );
});
