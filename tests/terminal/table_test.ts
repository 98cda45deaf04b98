import assert from "node:assert/strict";
import { cutMiddle, fitting, layOut } from "../../terminal/table.ts";
import { painter } from "../../terminal/tone.ts";

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

Deno.test("layOut continues the last column on further lines", () => {
  const { text } = layOut(
    [["NODE", "REASON"], ["a", "the node refused: it is being reset now"]],
    { gap: 3, columns: 30 },
  );
  assert.equal(
    text,
    `NODE   REASON
a      the node refused: it is
       being reset now
`,
  );
});

Deno.test("layOut never cuts a word, nor what is too narrow to be broken", () => {
  const word = "x".repeat(40);
  assert.equal(
    layOut([["a", `${word} b`]], { gap: 3, columns: 30 }).text,
    `a   ${word}\n    b\n`,
  );
  assert.equal(layOut([["a b c"]], { gap: 3, columns: 3 }).text, "a b c\n");
});

Deno.test("layOut colours cells without counting the colours", () => {
  const paint = painter(true);
  const { text } = layOut([["up", "x"], ["upper", "y"]], {
    gap: 1,
    paint,
    tones: [["good"], []],
  });
  assert.equal(text, "\x1b[32mup\x1b[0m    x\nupper y\n");
});

Deno.test("fitting leaves out the least important columns, never the name", () => {
  const columns = [{ name: true }, { priority: 9 }, {}, { priority: 1 }];
  const widths = [10, 10, 10, 10];
  const fit = (room: number | undefined) =>
    fitting(columns, widths, { gap: 3, columns: room });
  assert.deepEqual(fit(undefined), [0, 1, 2, 3]);
  assert.deepEqual(fit(49), [0, 1, 2, 3]);
  assert.deepEqual(fit(48), [0, 2, 3]);
  assert.deepEqual(fit(30), [0, 3]);
  assert.deepEqual(fit(5), [0]);
});

Deno.test("fitting keeps a last column of sentences while there is room to break them", () => {
  const columns = [{ name: true }, {}, { prose: true, priority: 1 }];
  const fit = (room: number) =>
    fitting(columns, [4, 10, 100], { gap: 3, columns: room });
  assert.deepEqual(fit(60), [0, 1, 2]);
  assert.deepEqual(fit(30), [0, 2]);
  assert.deepEqual(fit(20), [0]);
});

Deno.test("fitting never leaves out what has priority 0", () => {
  const columns = [{ name: true }, { priority: 0 }, { priority: 1 }];
  const limits = { gap: 1, columns: 10 };
  assert.deepEqual(fitting(columns, [20, 9, 1], limits), [0, 1]);
});

Deno.test("cutMiddle keeps more of the end than of the start", () => {
  assert.equal(cutMiddle("kube-system/etcd-one", 20), "kube-system/etcd-one");
  assert.equal(cutMiddle("kube-system/etcd-one", 10), "kub…cd-one");
  assert.equal(cutMiddle("└─ ünïcode-name", 7), "└─…name");
});
