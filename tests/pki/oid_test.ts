import assert from "node:assert/strict";
import { findCurve } from "../../pki/oid.ts";

Deno.test("findCurve does not know secp256k1", () => {
  assert.equal(findCurve("1.3.132.0.10"), undefined);
});
