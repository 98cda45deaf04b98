import assert from "node:assert/strict";
import { targets } from "../../../tools/fuzz/targets.ts";

Deno.test("a target takes what is right, and what is wrong as it is meant to be", async () => {
  for (const text of ["get members", "jsonpath={", "", "\0", "{.a}"]) {
    for (const target of Object.values(targets)) {
      await target(new TextEncoder().encode(text));
    }
  }
  assert.deepEqual(Object.keys(targets), [
    "command-line",
    "jsonpath",
    "cel",
    "yaml",
    "pem",
    "frames",
    "snapshot",
    "archive",
    "runbook",
  ]);
});
