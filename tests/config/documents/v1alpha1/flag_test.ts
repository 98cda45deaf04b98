import assert from "node:assert/strict";
import { flag } from "../../../../config/documents/v1alpha1/flag.ts";
import { boolean } from "../../../../config/documents/scalars/scalars.ts";

Deno.test("flag is off when absent, unless told otherwise", () => {
  assert.deepEqual(flag("Does it"), {
    shape: boolean,
    optional: true,
    summary: "Does it",
    initial: "false",
  });
  assert.equal(flag("Does it", "true").initial, "true");
});
