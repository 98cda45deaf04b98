import assert from "node:assert/strict";
import {
  duration,
  durationText,
  parseNanoseconds,
} from "../../../../config/documents/scalars/duration.ts";
import {
  assertReadings,
  assertRefused,
  fits,
  reading,
} from "../_parse_cases.ts";

const lengths = [
  ["0s", "0s"],
  ['"0"', "0s"],
  ['"-0"', "0s"],
  ["90s", "1m30s"],
  ["1h30m", "1h30m0s"],
  ["1h", "1h0m0s"],
  ["24h", "24h0m0s"],
  ["1m", "1m0s"],
  ["1.5s", "1.5s"],
  [".5s", "500ms"],
  ["5.s", "5s"],
  ["1ms", "1ms"],
  ["1.5ms", "1.5ms"],
  ["1us", "1µs"],
  ["1\u00b5s", "1µs"],
  ["1\u03bcs", "1µs"],
  ["999999ns", "999.999µs"],
  ["1ns", "1ns"],
  ["0.0000000001s", "0s"],
  ["1.000000001s", "1.000000001s"],
  ["1h0.5m", "1h0m30s"],
  ["1s1s", "2s"],
  ["-1h", "-1h0m0s"],
  ["+5s", "5s"],
  ["-1.5s", "-1.5s"],
  ["0.33333333333333333333h", "20m0s"],
  ["2562047h47m16.854775807s", "2562047h47m16.854775807s"],
  ["-2562047h47m16.854775808s", "-2562047h47m16.854775808s"],
] as const;

Deno.test("lengths of time are written in the largest units", () => {
  for (const [given, written] of lengths) {
    assert.equal(reading(duration, given), `"${written}"`, given);
    assert.ok(fits(duration, given.replaceAll('"', "")), given);
  }
  assertReadings(duration, [["1h", '"1h0m0s"']]);
});

Deno.test("numbers without a unit are not lengths of time, not even zero", () => {
  assertRefused(duration, ["0", "5", "+0", "1.5", "1e3", '"5"', "1:30"]);
  assert.equal(reading(duration, "0"), "fault: 0 has no unit");
});

Deno.test("durations: refuses other texts", () => {
  assertRefused(duration, ['""', "s", "1d", "1S", ".s", ".", "-", "1.2.3s"]);
  assertRefused(duration, ["1_0s", "1 s", '" 1s"', '"1s "', "1s1", "1e3s"]);
  assert.equal(reading(duration, "1d"), 'fault: "1d" is not a duration');
});

Deno.test("lengths of time end at 63 bits of nanoseconds", () => {
  assert.equal(parseNanoseconds("9223372036854775807ns"), 2n ** 63n - 1n);
  assert.equal(parseNanoseconds("9223372036854775808ns"), undefined);
  assert.equal(parseNanoseconds("-9223372036854775808ns"), -(2n ** 63n));
  assert.equal(parseNanoseconds("2562047h47m16.854775808s"), undefined);
  assert.equal(parseNanoseconds("99999999999999999999s"), undefined);
});

Deno.test("a length of time in nanoseconds becomes a text", () => {
  assert.equal(durationText(0n), "0s");
  assert.equal(durationText(3_661_500_000_000n), "1h1m1.5s");
  assert.equal(durationText(-100_000n), "-100µs");
});
