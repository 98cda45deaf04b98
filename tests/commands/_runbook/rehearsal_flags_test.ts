import assert from "node:assert/strict";
import { rehearsalFlags } from "../../../commands/_runbook/rehearsal_flags.ts";

const { invariants } = rehearsalFlags;

Deno.test("invariants are all, or those that are named", () => {
  assert.equal(invariants.initial.size, 12);
  assert.equal(invariants.parse("all", undefined).size, 12);
  assert.deepEqual(
    invariants.parse("I1, I7", undefined),
    new Set(["I1", "I7"]),
  );
  assert.throws(() => invariants.parse("I13", undefined), {
    message: /unknown invariant "I13"/,
  });
});
