import assert from "node:assert/strict";
import {
  certificateAndKey,
  keyOnly,
} from "../../../config/documents/shapes.ts";

Deno.test("keys are secret and replaced together with their certificates", () => {
  assert.equal(certificateAndKey.fields.key?.secret, true);
  assert.equal(keyOnly.fields.key?.secret, true);
  assert.equal(certificateAndKey.fields.crt?.secret, undefined);
  assert.equal(certificateAndKey.whole, true);
});
