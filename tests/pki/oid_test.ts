import assert from "node:assert/strict";
import { findCurve } from "../../pki/oid.ts";

Deno.test("findCurve knows the three curves that are supported", () => {
  assert.equal(findCurve("1.2.840.10045.3.1.7"), "P-256");
  assert.equal(findCurve("1.3.132.0.34"), "P-384");
  assert.equal(findCurve("1.3.132.0.35"), "P-521");
});

Deno.test("findCurve does not know secp256k1", () => {
  assert.equal(findCurve("1.3.132.0.10"), undefined);
});
