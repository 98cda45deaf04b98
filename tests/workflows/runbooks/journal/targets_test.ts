import assert from "node:assert/strict";
import type { NewRecord } from "../../../../workflows/runbooks/journal/record.ts";
import { targetsOf } from "../../../../workflows/runbooks/journal/targets.ts";
import { readRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun, started } from "../store/_runs.ts";

async function targets(records: readonly NewRecord[]) {
  const found: unknown[] = [];
  await withFolder({}, async (runs) => {
    await makeRun(runs, { records: [started, ...records] });
    const { history } = await readRun(runs, "20261120-7k2f");
    found.push(...targetsOf(demo, history));
  });
  return found;
}

Deno.test("nodes of all fan-outs are known before they begin, those in used runbooks as well", async () => {
  assert.deepEqual(await targets([]), [
    { node: "w-1", path: "workers", state: "queued" },
    { node: "w-2", path: "workers", state: "queued" },
    { node: "w-3", path: "workers", state: "queued" },
    { node: "cp-1", path: "planes/each", state: "queued" },
  ]);
});

Deno.test("nodes are as the journal says: through, inside, taken out, left out", async () => {
  const p = "workers";
  const failed = {
    state: "failed",
    step: "workers/drain",
    code: "drain-blocked",
    message: "no room",
    tookMs: 5_000,
  };
  assert.deepEqual(
    await targets([
      { t: "enter", p, n: "w-1", e: 1 },
      { t: "node", p, n: "w-1", e: 1, d: { state: "done", tookMs: 9_000 } },
      { t: "enter", p, n: "w-2", e: 1 },
      { t: "node", p, n: "w-2", e: 1, d: failed },
      { t: "enter", p, n: "w-2", e: 2 },
      { t: "drop", n: "w-3", d: { reason: "broken" } },
      { t: "drop", n: "w-1", d: { reason: "too late" } },
      { t: "group", p: "more/late", d: { nodes: ["w-9"] } },
      { t: "enter", p: "more/late", n: "w-9", e: 1 },
      { t: "node", p: "more/late", n: "w-9", e: 1, d: failed },
      { t: "result", p: "planes/each", e: 1, d: { state: "skipped" } },
    ]),
    [
      { node: "w-1", path: "workers", state: "done", tookMs: 9_000 },
      { node: "w-2", path: "workers", state: "inside" },
      {
        node: "w-3",
        path: "workers",
        state: "failed",
        code: "cancelled",
        message: "dropped: broken",
      },
      { node: "w-9", path: "more/late", ...failed },
    ],
  );
});

Deno.test("nodes that failed name what a rescue has kept of them, in the folder of the run", async () => {
  const p = "workers";
  const kept = (n: string, folder: string): NewRecord => ({
    t: "result",
    p: "workers/evidence",
    n,
    e: 1,
    d: { state: "ok", outputs: { folder } },
  });
  const ended = (n: string, state: string): NewRecord => ({
    t: "node",
    p,
    n,
    e: 1,
    d: { state },
  });
  const found = await targets([
    kept("w-1", "/artifacts/of/eve/runs/r/artifacts/support-w-1"),
    ended("w-1", "failed"),
    kept("w-2", "/r/artifacts/support-w-2"),
    ended("w-2", "done"),
    kept("w-3", "/somewhere/else"),
    ended("w-3", "recovered"),
  ]);
  assert.deepEqual(found.slice(0, 3), [
    {
      node: "w-1",
      path: p,
      state: "failed",
      artifact: "artifacts/support-w-1",
    },
    { node: "w-2", path: p, state: "done" },
    { node: "w-3", path: p, state: "recovered" },
  ]);
});
