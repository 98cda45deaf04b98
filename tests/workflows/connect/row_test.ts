import assert from "node:assert/strict";
import { passed } from "../../../workflows/connect/row.ts";

Deno.test("passed makes the row of a stage that is well, or does not apply", () => {
  assert.deepEqual(passed("tcp", "connected"), {
    stage: "tcp",
    result: "ok",
    detail: "connected",
  });
  assert.deepEqual(passed("dns", "is an address", "skipped"), {
    stage: "dns",
    result: "skipped",
    detail: "is an address",
  });
});
