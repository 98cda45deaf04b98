import assert from "node:assert/strict";
import {
  bytesOf,
  millisecondsOf,
} from "../../../config/documents/quantities.ts";

for (
  const [text, time] of [
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    [".5s", 500],
    ["500ms", 500],
    ["1us", 0.001],
    ["-5s", -5_000],
    ["0s", 0],
    ["-0s", 0],
    ["", 0],
  ] as const
) {
  Deno.test(`millisecondsOf reads "${text}"`, () => {
    assert.equal(millisecondsOf(text), time);
  });
}

for (
  const [text, size] of [
    ["4096", 4096],
    ["0", 0],
    ["10GiB", 10_737_418_240],
    ["10 gb", 10_000_000_000],
    ["1.5Ki", 1536],
    ["1,000B", 1000],
    ["1e", 1e18],
    ["50%", undefined],
    ["GiB", undefined],
    ["1.2.3", undefined],
    ["10 apples", undefined],
    ["", undefined],
  ] as const
) {
  Deno.test(`bytesOf reads "${text}"`, () => {
    assert.equal(bytesOf(text), size);
  });
}
