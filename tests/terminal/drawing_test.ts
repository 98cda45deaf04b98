import assert from "node:assert/strict";
import { processMasker } from "../../lib/masker.ts";
import { drawing, fitText } from "../../terminal/drawing.ts";

Deno.test("drawing draws what there is to see each time, once more at its end, and leaves it", async () => {
  const seen: string[] = [];
  let count = 0;
  let waiting = Promise.withResolvers<() => void>();
  const { end } = drawing(
    {
      size: () => ({ columns: 9, rows: 3 }),
      draw: (lines) => Promise.resolve(void seen.push(lines.join("|"))),
      paint: (text: string) => text,
      color() {},
      leave: () => Promise.resolve(void seen.push("left")),
      alone: () => Promise.reject(new Error("no prompt is expected")),
    },
    ({ columns, rows }) => [`${columns}x${rows}`, `${++count}`],
    (ms, signal) =>
      new Promise((resolve) => {
        assert.equal(ms, 100);
        signal.addEventListener("abort", () => resolve());
        waiting.resolve(resolve);
      }),
  );
  const next = await waiting.promise;
  waiting = Promise.withResolvers();
  next();
  await waiting.promise;
  assert.deepEqual(seen, ["9x3|1", "9x3|2"]);
  await end();
  assert.deepEqual(seen.slice(2), ["9x3|3", "left"]);
});

Deno.test("fitText cuts what is too long, in columns of the terminal", () => {
  assert.equal(fitText("12345", 5), "12345");
  assert.equal(fitText("123456", 5), "1234…");
  assert.equal(fitText("😀😀😀", 6), "😀😀😀");
  assert.equal(fitText("😀😀😀", 5), "😀😀…");
  assert.equal(fitText("12", 0), "…");
});

Deno.test("fitText hides a secret before it cuts it in two", () => {
  processMasker.add("s3cret-for-fitted");
  assert.equal(
    fitText("node: s3cret-for-fitted is wrong", 16),
    "node: ****** is…",
  );
});
