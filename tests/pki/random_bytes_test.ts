import assert from "node:assert/strict";
import { platformBytes } from "../../pki/random_bytes.ts";

Deno.test("platformBytes gives as many bytes as asked for, others every time", () => {
  const first = platformBytes(32);
  assert.equal(first.length, 32);
  assert.notDeepEqual(platformBytes(32), first);
});
