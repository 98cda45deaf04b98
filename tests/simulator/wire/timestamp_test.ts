import assert from "node:assert/strict";
import { goDuration } from "../../../simulator/wire/timestamp.ts";

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
