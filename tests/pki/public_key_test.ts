import assert from "node:assert/strict";
import { inspectPublicKey } from "../../pki/public_key.ts";
import { assertConfigError } from "./_errors.ts";

function read(hex: string) {
  return inspectPublicKey(Uint8Array.fromHex(hex));
}

Deno.test("inspectPublicKey omits a curve it does not know", () => {
  const { keyAlgorithm, curve } = read(
    "3016301006072a8648ce3d020106052b8104000a030200aa",
  );
  assert.deepEqual([keyAlgorithm, curve], ["ECDSA", undefined]);
});

Deno.test("inspectPublicKey refuses a key without bits", () => {
  assertConfigError(
    () => read("3007300506032b6570"),
    "Cannot read public key: a part is missing",
  );
});
