import assert from "node:assert/strict";
import {
  millisecondsOf,
  timestampOf,
} from "../../../simulator/wire/timestamp.ts";

Deno.test("timestampOf splits seconds and nanoseconds, before 1970 too", () => {
  assert.deepEqual(timestampOf(1500.25), { seconds: 1n, nanos: 500_250_000 });
  assert.deepEqual(timestampOf(-1), { seconds: -1n, nanos: 999_000_000 });
});

Deno.test("millisecondsOf joins seconds and nanoseconds", () => {
  assert.equal(millisecondsOf({ seconds: 90n, nanos: 500_250_000 }), 90_500.25);
});
