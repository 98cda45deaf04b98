import assert from "node:assert/strict";
import {
  goDuration,
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

Deno.test("durations are spelled as nodes spell them", () => {
  const ms = [
    0,
    0.25,
    250,
    1_000,
    1_500,
    60_000,
    90_500,
    3_600_000,
    93_784_000,
  ];
  assert.deepEqual(ms.map(goDuration), [
    "0s",
    "250µs",
    "250ms",
    "1s",
    "1.5s",
    "1m0s",
    "1m30.5s",
    "1h0m0s",
    "26h3m4s",
  ]);
});
