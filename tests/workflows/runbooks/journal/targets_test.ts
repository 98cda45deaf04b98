import assert from "node:assert/strict";
import type { NewRecord } from "../_records.ts";
import {
  listTargets,
  oncePerNode,
} from "../../../../workflows/runbooks/journal/targets.ts";
import { readRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun, started } from "../store/_runs.ts";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

async function targets(records: readonly NewRecord[]) {
  const found: unknown[] = [];
  await withFolder({}, async (runs) => {
    await makeRun(runs, { records: [started, ...records] });
    const { history } = await readRun(runs, "20261120-7k2f");
    found.push(...listTargets(demo, history));
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

Deno.test("nodes are as the journal says: through, inside, taken out, omitted", async () => {
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
      { type: "enter", path: p, node: "w-1", entry: 1 },
      {
        type: "node",
        path: p,
        node: "w-1",
        entry: 1,
        data: { state: "done", tookMs: 9_000 },
      },
      { type: "enter", path: p, node: "w-2", entry: 1 },
      { type: "node", path: p, node: "w-2", entry: 1, data: failed },
      { type: "enter", path: p, node: "w-2", entry: 2 },
      { type: "drop", node: "w-3", data: { reason: "broken" } },
      { type: "drop", node: "w-1", data: { reason: "too late" } },
      { type: "group", path: "more/late", data: { nodes: ["w-9"] } },
      { type: "enter", path: "more/late", node: "w-9", entry: 1 },
      { type: "node", path: "more/late", node: "w-9", entry: 1, data: failed },
      {
        type: "result",
        path: "planes/each",
        entry: 1,
        data: { state: "skipped" },
      },
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
    type: "result",
    path: "workers/evidence",
    node: n,
    entry: 1,
    data: { state: "ok", outputs: { folder } },
  });
  const ended = (n: string, state: string): NewRecord => ({
    type: "node",
    path: p,
    node: n,
    entry: 1,
    data: { state },
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

/** Work that may fail, and whose rescue fails as well. */
const brokenRescue = `
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: around
    onFailure: continue
    block:
      - id: nodes
        forEach: one
        steps: [{ id: work, run: work }]
    rescue:
      - id: undo
        forEach: one
        steps: [{ id: mend, run: break }]
  - id: after
    forEach: one
    steps: [{ id: open, run: open }]
`;

/** `work` and `break` fail on the first try on a node. */
function breaking(code: "failed" | "in-doubt" = "failed") {
  const fakes = fakeModules();
  const failing = (
    name: string,
    outcome: "failed" | "in-doubt",
    reason: string,
  ) =>
    fakes.change(name, {
      spoil: ({ nth }) => nth === 1 ? { outcome, reason } : undefined,
    });
  return openBench({
    modules: [
      failing("work", "failed", "no"),
      failing("break", code, "worse"),
      fakes.change("open"),
    ],
  });
}

Deno.test("a rescue that fails is in the report, and the run has failed although its work may", async () => {
  await using bench = await breaking();
  const ran = await bench.run(brokenRescue);
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(ran.end?.cleanup, [{
    part: "rescue",
    step: "around/undo/mend",
    code: "precondition",
    message: "demo-worker-1 failed: break: demo-worker-1: worse",
  }]);
  assert.deepEqual(ran.records.at(-1)?.data?.cleanup, ran.end?.cleanup);
  // Once it has been done, it counts no more.
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.equal(second.end?.cleanup, undefined);
});

Deno.test("a rescue whose end is in doubt blocks the run", async () => {
  await using bench = await breaking("in-doubt");
  const ran = await bench.run(brokenRescue);
  assert.equal(ran.verdict, "blocked 5");
});

for (const onFailure of ["continue", "fail"]) {
  Deno.test(`of what fails while cleaning up, what is in doubt counts most: onFailure: ${onFailure}`, async () => {
    const fakes = fakeModules();
    const failing = (name: string, outcome: "failed" | "in-doubt") =>
      fakes.change(name, { spoil: () => ({ outcome, reason: name }) });
    await using bench = await openBench({
      modules: [
        failing("work", "failed"),
        failing("break", "failed"),
        failing("last", "in-doubt"),
        fakes.change("open"),
      ],
    });
    const ran = await bench.run(
      brokenRescue.replace("onFailure: continue", `onFailure: ${onFailure}`)
        .replace(
          "    rescue:",
          "    always: [{ id: end, forEach: one, steps: [{ id: last, run: last }] }]\n    rescue:",
        ),
    );
    assert.equal(ran.verdict, "blocked 5");
    assert.deepEqual(ran.end?.cleanup?.map(({ code }) => code), [
      "precondition",
      "in-doubt",
    ]);
  });
}

Deno.test("the rescue of a node that fails keeps the run partial, and always counts as well", async () => {
  await using bench = await breaking();
  const ran = await bench.run(`
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: nodes
    forEach: { nodes: workers, strategy: { maxFailures: 100% } }
    steps: [{ id: stop, assert: { that: "node.name != 'demo-worker-1'" } }]
    rescue: [{ id: mend, run: break }]
    always: [{ id: last, run: work }]
`);
  assert.equal(ran.verdict, "partial 3");
  assert.deepEqual(
    ran.end?.cleanup?.map(({ part, step, node }) => [part, step, node]),
    [
      ["rescue", "nodes/mend", "demo-worker-1"],
      ["always", "nodes/last", "demo-worker-1"],
      ["always", "nodes/last", "demo-worker-2"],
    ],
  );
});

Deno.test("a step of a rescue that may fail is no failure of the rescue", async () => {
  await using bench = await breaking();
  const ran = await bench.run(
    brokenRescue.replace(
      "- id: undo",
      "- id: undo\n        onFailure: continue",
    ),
  );
  assert.equal(ran.end?.cleanup, undefined);
});

Deno.test("oncePerNode tells of each node what counts most, and adds up its times", () => {
  const done = { state: "done", tookMs: 1_000 };
  assert.deepEqual(
    oncePerNode([
      { node: "w-1", path: "pull", ...done },
      { node: "w-2", path: "pull", ...done },
      { node: "w-3", path: "pull", ...done },
      { node: "w-1", path: "up", ...done },
      { node: "w-2", path: "up", state: "failed", tookMs: 2_000 },
      { node: "w-3", path: "up", state: "queued" },
    ]),
    [
      { node: "w-1", path: "up", state: "done", tookMs: 2_000 },
      { node: "w-2", path: "up", state: "failed", tookMs: 3_000 },
      { node: "w-3", path: "up", state: "queued" },
    ],
  );
});
