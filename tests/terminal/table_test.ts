import assert from "node:assert/strict";
import { cutMiddle, fitting, layOut } from "../../terminal/table.ts";

Deno.test("layOut lines columns up behind wide characters", () => {
  const { text } = layOut(
    [["NAME", "STATE"], ["日本", "up"], ["👍", "down"], ["ä", "x"]],
    { gap: 3 },
  );
  assert.equal(
    text,
    "NAME   STATE\n日本   up\n👍     down\nä      x\n",
  );
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

Deno.test("cutMiddle keeps more of the end than of the start", () => {
  assert.equal(cutMiddle("kube-system/etcd-one", 20), "kube-system/etcd-one");
  assert.equal(cutMiddle("kube-system/etcd-one", 10), "kub…cd-one");
  assert.equal(cutMiddle("└─ ünïcode-name", 7), "└─…name");
});

Deno.test("layOut moves a last column without enough room below the others", () => {
  const { text } = layOut(
    [
      ["STEP", "WHAT"],
      ["controlplane/install", "short"],
      ["controlplane/back", "the node is healthy again and stays so"],
    ],
    { gap: 3, columns: 36 },
  );
  assert.equal(
    text,
    `STEP                   WHAT
controlplane/install   short
controlplane/back
      the node is healthy again and
      stays so
`,
  );
});
