import assert from "node:assert/strict";
import { compareKeys } from "../../../config/tree/key_order.ts";

const sorted = [
  [],
  ["a", "b", "c"],
  ["a", "aa", "ab", "b"],
  ["a1", "a2", "a10", "a20"],
  ["-", "1", "2", "10", "A", "B", "a", "b"],
  ["a-b", "a.b", "aa"],
  ["a", "a.b", "a/b", "a1", "ab"],
  ["v1", "v1a", "v1.2", "v2"],
  ["1a", "1-"],
  ["100", "101", "110"],
  ["a1", "a01", "a02"],
  ["_x", "X", "x"],
];

Deno.test("compareKeys orders keys as nodes do", () => {
  for (const keys of sorted) {
    assert.deepEqual(keys.toReversed().sort(compareKeys), keys);
  }
});

Deno.test("compareKeys finds equal keys equal", () => {
  assert.equal(compareKeys("a1", "a1"), 0);
});
