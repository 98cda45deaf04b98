import assert from "node:assert/strict";
import { timestampOf } from "../../simulator/timestamp.ts";

Deno.test("timestampOf splits seconds and nanoseconds, before 1970 too", () => {
  assert.deepEqual(timestampOf(1500.25), { seconds: 1n, nanos: 500_250_000 });
  assert.deepEqual(timestampOf(-1), { seconds: -1n, nanos: 999_000_000 });
});
