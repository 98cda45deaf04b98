import assert from "node:assert/strict";
import fc from "fast-check";
import { formatDuration, parseDuration } from "../../lib/duration.ts";

Deno.test("parseDuration reads what users of Go programs type", () => {
  const cases: Record<string, number | undefined> = {
    "1m0s": 60_000,
    "1h30m": 5_400_000,
    "500ms": 500,
    "1.5s": 1_500,
    ".5s": 500,
    "-3s": -3_000,
    "+2m": 120_000,
    "0": 0,
    "250us": 0.25,
    "10µs": 0.01,
    "": undefined,
    "5": undefined,
    "5d": undefined,
    "s": undefined,
    "1m 2s": undefined,
    "1ms2": undefined,
    "-": undefined,
  };
  for (const [text, ms] of Object.entries(cases)) {
    assert.equal(parseDuration(text), ms, text);
  }
});

Deno.test("formatDuration writes hours, minutes and seconds without days", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0s"],
    [350, "350ms"],
    [1_500, "1.5s"],
    [59_000, "59s"],
    [60_000, "1m0s"],
    [93_784_000, "26h3m4s"],
    [-3_000, "-3s"],
    [0.25, "250µs"],
    [0.00005, "50ns"],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});

Deno.test("parseDuration reads back every whole millisecond that formatDuration writes", () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), (ms) => {
      assert.equal(parseDuration(formatDuration(ms)), ms);
    }),
  );
});
