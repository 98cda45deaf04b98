import assert from "node:assert/strict";
import { unified } from "../../config/text_diff.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join("");

Deno.test("unified shows changed lines with three around them", () => {
  assert.equal(
    unified(lines(1, 9), lines(1, 4) + "five\n" + lines(6, 9)),
    "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

Deno.test("unified shows changes that are far from each other on their own", () => {
  assert.equal(
    unified(lines(1, 20), `0\n${lines(1, 19)}`),
    "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -17,4 +18,3 @@\n 17\n 18\n 19\n-20\n",
  );
});

Deno.test("unified shows texts that came or went", () => {
  assert.equal(unified("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  assert.equal(unified("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
});

Deno.test("unified says when the line at the end is not complete", () => {
  assert.equal(
    unified("a\n", "a"),
    "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n",
  );
});

Deno.test("unified of the same text is empty", () => {
  assert.equal(unified("a\nb\n", "a\nb\n"), "");
});

Deno.test("unified replaces a text of which hardly anything is left", () => {
  const from = lines(1, 3_000);
  const to = lines(10_001, 13_000).slice(0, -1);
  const diff = unified(from, to).split("\n");
  assert.equal(diff[0], "@@ -1,3000 +1,3000 @@");
  assert.deepEqual(diff.slice(1, 3), ["-1", "-2"]);
  assert.deepEqual(diff.slice(3_000, 3_002), ["-3000", "+10001"]);
  assert.deepEqual(diff.slice(-3), [
    "+13000",
    "\\ No newline at end of file",
    "",
  ]);
});

Deno.test("unified ends for large texts that have nothing in common", () => {
  const diff = unified(lines(1, 100_000), lines(200_001, 300_000));
  assert.equal(diff.split("\n").length, 200_002);
});
