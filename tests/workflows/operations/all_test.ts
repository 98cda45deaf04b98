import assert from "node:assert/strict";
import { operations } from "../../../workflows/operations/all.ts";

Deno.test("every journaled operation is found by name", () => {
  for (const [name, operation] of operations) {
    assert.equal(operation.name, name);
    assert.match(operation.effect, /^(disrupt|destroy)$/);
  }
});
