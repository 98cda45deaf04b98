import assert from "node:assert/strict";
import { layOut } from "../../terminal/table.ts";

Deno.test("layOut aligns columns and leaves the last unpadded", () => {
  const { text } = layOut([["A", "B"], ["long", "x"], ["ä", ""]], { gap: 3 });
  assert.equal(text, "A      B\nlong   x\nä\n");
});

Deno.test("layOut counts code points", () => {
  const { text } = layOut([["ä", "x"], ["👍", "y"]], { gap: 1 });
  assert.equal(text, "ä x\n👍 y\n");
});

Deno.test("layOut keeps the columns of the block before", () => {
  const first = layOut([["NODE", "ID"], ["10.0.0.2", "a"]], { gap: 3 });
  const next = layOut([["a", "b"]], { gap: 3 }, first.layout);
  assert.equal(next.text, "a          b\n");
});

Deno.test("layOut cuts lines that are wider than the terminal", () => {
  const { text } = layOut([["abc", "defghij"]], { gap: 3, columns: 10 });
  assert.equal(text, "abc   def…\n");
  assert.equal(layOut([["abc"]], { gap: 3, columns: 3 }).text, "abc\n");
});
