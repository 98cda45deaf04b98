import assert from "node:assert/strict";
import { mutate, randomFrom } from "../../../tools/fuzz/mutate.ts";

Deno.test("randomFrom gives the same numbers for the same seed, all within the bound", () => {
  const draw = (seed: number) => {
    const random = randomFrom(seed);
    return Array.from({ length: 1_000 }, () => random(10));
  };
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  assert.deepEqual([...new Set(draw(3))].sort(), [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
  ]);
});

Deno.test("mutated makes inputs of at most 64 KiB, leaves the seeds as they are, and repeats itself for the same seed", () => {
  const seeds = ["a: {b: [1]}", ""].map((text) =>
    new TextEncoder().encode(text)
  );
  const before = seeds.map((seed) => seed.slice());
  const made = (seed: number) => {
    const random = randomFrom(seed);
    return Array.from({ length: 500 }, () => mutate(seeds, random));
  };
  const inputs = made(1);
  assert.deepEqual(inputs, made(1));
  assert.ok(inputs.every(({ length }) => length <= 65_536));
  assert.ok(inputs.some(({ length }) => length > 1_000));
  assert.ok(new Set(inputs.map((input) => input.toHex())).size > 400);
  assert.deepEqual(seeds, before);
});
