import assert from "node:assert/strict";
import { toCursor } from "../../../config/documents/cursor.ts";
import { readDocuments } from "../../../config/tree/read.ts";

const text = `machine:
  type: worker
  on: yes
  off: False
  mtu: 1_500
  none: null
  list: [a, {b: 1}]
`;

function root() {
  const [document] = readDocuments(text, "f").documents;
  assert.ok(document);
  return toCursor(document.root);
}

Deno.test("a cursor reads scalars as text, truth and number", () => {
  const machine = root().get("machine");
  assert.equal(machine.get("type").text(), "worker");
  assert.equal(machine.get("on").truth(), true);
  assert.equal(machine.get("off").truth(), false);
  assert.equal(machine.get("type").truth(), undefined);
  assert.equal(machine.get("mtu").number(), 1500);
  assert.equal(machine.get("type").number(), undefined);
  assert.equal(machine.text(), undefined);
});

Deno.test("a cursor takes null for absent", () => {
  const none = root().get("machine", "none");
  assert.equal(none.node, undefined);
  assert.equal(none.text(), undefined);
});

Deno.test("a cursor goes through elements and entries", () => {
  const items = root().get("machine", "list").items();
  assert.deepEqual(items.map((item) => item.text()), ["a", undefined]);
  const entries = items[1]?.entries() ?? [];
  assert.deepEqual(entries.map(([key, value]) => [key, value.number()]), [
    ["b", 1],
  ]);
  assert.deepEqual(root().items(), []);
  assert.deepEqual(items[0]?.entries(), []);
});

Deno.test("a cursor reports problems with path and place", () => {
  const problem = root().get("machine", "mtu").error("Bad", "Good");
  assert.deepEqual(problem, {
    level: "error",
    path: "machine.mtu",
    message: "Bad",
    hint: "Good",
    at: { file: "f", line: 5, column: 3 },
  });
  assert.equal(root().warning("x").level, "warning");
});

Deno.test("a problem of something absent is where it would belong", () => {
  const problem = root().get("machine", "network", "mtu").error("Missing");
  assert.equal(problem.path, "machine.network.mtu");
  assert.deepEqual(problem.at, { file: "f", line: 1, column: 1 });
});
