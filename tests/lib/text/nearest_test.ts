import assert from "node:assert/strict";
import { growth, proportional } from "../../_scaling.ts";
import { editDistance, nearest } from "../../../lib/text/nearest.ts";

Deno.test("editDistance counts letters added, dropped, changed and swapped", () => {
  assert.equal(editDistance("memory", "memory"), 0);
  assert.equal(editDistance("memroy", "memory"), 1);
  assert.equal(editDistance("memry", "memory"), 1);
  assert.equal(editDistance("memorry", "memory"), 1);
  assert.equal(editDistance("", "abc"), 3);
  assert.equal(editDistance("kitten", "sitting"), 3);
});

Deno.test("nearest finds a word that is near and nothing else", () => {
  const known = ["memory", "mounts", "version"];
  assert.equal(nearest("memry", known), "memory");
  assert.equal(nearest("ver", known), "version");
  assert.equal(nearest("etcd", known), undefined);
});

Deno.test("nearest prefers a word that begins so, the shortest first", () => {
  const known = ["em", "memorymodules", "members", "mex"];
  assert.equal(nearest("mem", known), "members");
  assert.equal(nearest("mex", known), "mex");
  assert.equal(nearest("me", ["em", "memory"]), "memory");
});

Deno.test("nearest does not compare words of very different lengths", async () => {
  const known = Array.from({ length: 1000 }, (_, i) => `word${i}`);
  assert.equal(nearest("w".repeat(100_000), known), undefined);
  assert.equal(nearest("w", ["word"]), undefined);
  const grown = await growth(
    (size) => void nearest("w".repeat(size), known),
    50_000,
  );
  assert.ok(grown < proportional, `${grown}`);
});
