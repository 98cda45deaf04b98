import assert from "node:assert/strict";
import {
  countStates,
  formatElapsed,
  nodeRows,
  versionText,
} from "../../../workflows/operations/node_rows.ts";

Deno.test("nodeRows keeps 500 nodes to the rows there are, the worst first, and counts them", () => {
  const all = Array.from({ length: 500 }, (_, i) => ({
    node: `w-${i}`,
    state: i === 498 ? "failed" : i === 499 ? "in-doubt" : "queued",
    text: "",
  }));
  assert.deepEqual(nodeRows(all, { columns: 80, rows: 5 }), [
    "w-498  failed",
    "w-499  in-doubt",
    "w-0    queued",
    "w-1    queued",
    "500 nodes: 1 failed, 1 in-doubt, 498 queued",
  ]);
  assert.equal(countStates([{ state: "done" }]), "1 node: 1 done");
});

Deno.test("versionText and elapsed say what changed, and how long it took", () => {
  assert.equal(versionText("v1", "v2"), "v1 → v2");
  assert.equal(versionText("v1", "v1"), "v1");
  assert.equal(versionText(undefined, "v2"), "v2");
  assert.equal(versionText("v1"), "v1");
  assert.equal(formatElapsed(1_000, 66_900), "1m5s");
  assert.equal(formatElapsed(5_000, 0), "0s");
});
