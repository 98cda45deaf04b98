import assert from "node:assert/strict";
import type { NewRecord } from "../../../../workflows/runbooks/journal/record.ts";
import type { RunReport } from "../../../../workflows/runbooks/event.ts";
import { journalReport } from "../../../../workflows/runbooks/run/journal_report.ts";
import { readRun } from "../../../../workflows/runbooks/run/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun, started } from "./_runs.ts";

const p = "workers";

async function reported(records: readonly NewRecord[]) {
  const kept: { report?: RunReport | undefined } = {};
  await withFolder({}, async (runs) => {
    await makeRun(runs, { records: [started, ...records] });
    const run = await readRun(runs, "20261120-7k2f");
    kept.report = journalReport(run, demo, ["artifacts/db"]);
  });
  return kept.report;
}

Deno.test("the report of a run is what its journal says", async () => {
  const failure = { step: "workers", code: "drain-blocked", message: "w-2" };
  const report = await reported([
    {
      t: "decision",
      p: "workers/drain",
      n: "w-1",
      d: { verdict: "skip", reason: "done by hand" },
    },
    { t: "enter", p, n: "w-1", e: 1 },
    {
      t: "result",
      p: "workers/drain",
      n: "w-1",
      e: 1,
      d: { state: "ok", module: "node.drain" },
    },
    { t: "node", p, n: "w-1", e: 1, d: { state: "done", tookMs: 1 } },
    { t: "run.end", d: { state: "failed", status: 1, failure, outputs: {} } },
    { t: "approve.answered", p: "go", d: { tag: "start", approved: true } },
  ]);
  assert.deepEqual(report, {
    run: "20261120-7k2f",
    runbook: "demo",
    cluster: "prod",
    state: "failed",
    status: 1,
    startedAt: "2026-11-20T19:30:01.000Z",
    endedAt: "2026-11-20T19:30:06.000Z",
    targets: [
      { node: "w-1", path: "workers", state: "done", tookMs: 1 },
      { node: "w-2", path: "workers", state: "not-reached" },
      { node: "w-3", path: "workers", state: "not-reached" },
    ],
    failure,
    skipped: [{ step: "workers/drain", node: "w-1", reason: "done by hand" }],
    residue: [{
      kind: "cordoned",
      node: "w-1",
      message: "w-1 is still closed for pods",
    }],
    artifacts: ["artifacts/db"],
    outputs: {},
    next: "osctl runbook resume 20261120-7k2f",
  });
});

Deno.test("a run without an end has no report", async () => {
  assert.equal(await reported([]), undefined);
  const again = await reported([
    { t: "run.end", d: { state: "stopped", status: 75 } },
    { t: "run.resume", d: { entry: 2 } },
  ]);
  assert.equal(again, undefined);
});

Deno.test("nodes that a run was given up with have failed, those of one that goes on were not reached", async () => {
  for (
    const [ended, state] of [["cancelled", "failed"], [
      "stopped",
      "not-reached",
    ]]
  ) {
    const report = await reported([
      { t: "enter", p, n: "w-1", e: 1 },
      { t: "run.end", d: { state: ended!, status: 75 } },
    ]);
    assert.deepEqual(
      report?.targets.map((target) => target.state),
      [state, "not-reached", "not-reached"],
    );
  }
});
