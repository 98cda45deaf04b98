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
