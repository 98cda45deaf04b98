import assert from "node:assert/strict";
import { age, bytesText, goTime, relativeTime } from "../../terminal/units.ts";

const cases: readonly (readonly [number | bigint, string, string])[] = [
  [0, "0 B", "0 B"],
  [9, "9 B", "9 B"],
  [10, "10 B", "10 B"],
  [999, "999 B", "999 B"],
  [1000, "1.0 kB", "1000 B"],
  [1024, "1.0 kB", "1.0 KiB"],
  [9_940, "9.9 kB", "9.7 KiB"],
  [9_960, "10 kB", "9.7 KiB"],
  [12_345_678, "12 MB", "12 MiB"],
  [12_500_000, "12 MB", "12 MiB"],
  [13_500_000, "14 MB", "13 MiB"],
  [4_000_000_000n, "4.0 GB", "3.7 GiB"],
  [2n ** 50n, "1.1 PB", "1.0 PiB"],
  [2n ** 64n - 1n, "18 EB", "16 EiB"],
];

Deno.test("bytesText writes powers of 1000", () => {
  for (const [size, text] of cases) assert.equal(bytesText(size), text);
});

const now = new Date("2026-01-02T03:04:05Z");

function ago(seconds: number): string {
  return relativeTime(
    new Date(now.getTime() - seconds * 1000).toISOString(),
    now,
  );
}

Deno.test("relativeTime names the largest unit that fits", () => {
  const day = 86_400;
  const texts: readonly (readonly [number, string])[] = [
    [0, "now"],
    [1, "1 second ago"],
    [59, "59 seconds ago"],
    [60, "1 minute ago"],
    [119, "1 minute ago"],
    [120, "2 minutes ago"],
    [3_600, "1 hour ago"],
    [7_200, "2 hours ago"],
    [day, "1 day ago"],
    [6 * day, "6 days ago"],
    [7 * day, "1 week ago"],
    [29 * day, "4 weeks ago"],
    [30 * day, "1 month ago"],
    [60 * day, "2 months ago"],
    [359 * day, "11 months ago"],
    [360 * day, "1 year ago"],
    [540 * day, "2 years ago"],
    [720 * day, "2 years ago"],
    [1080 * day, "3 years ago"],
    [37 * 360 * day, "a long time ago"],
    [-59, "59 seconds from now"],
    [-7_200, "2 hours from now"],
  ];
  for (const [seconds, text] of texts) assert.equal(ago(seconds), text);
});

Deno.test("age rounds to whole seconds", () => {
  assert.equal(age("2026-01-02T03:03:01.6Z", now), "1m3s");
  assert.equal(age("2026-01-01T00:04:05Z", now), "27h0m0s");
  assert.equal(age("2026-01-02T03:04:05Z", now), "0s");
  assert.equal(age("", now), "");
});

Deno.test("goTime writes UTC with the fraction as it is", () => {
  assert.equal(goTime("2026-01-02T03:04:05Z"), "2026-01-02 03:04:05 +0000 UTC");
  assert.equal(
    goTime("2026-01-02T03:04:05.000000001Z"),
    "2026-01-02 03:04:05.000000001 +0000 UTC",
  );
  assert.equal(goTime(""), "");
});
