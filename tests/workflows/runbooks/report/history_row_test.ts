import assert from "node:assert/strict";
import { historyRow } from "../../../../workflows/runbooks/report/history_row.ts";
import { surveyRuns } from "../../../../workflows/runbooks/store/find_run.ts";
import { withFolder } from "../../../_folder.ts";
import { holdRun, makeRun, started } from "../store/_runs.ts";

const now = new Date("2026-11-20T20:30:00Z");

Deno.test("a run that continues again has no end, whatever it had before", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs, {
      records: [started, {
        type: "run.end",
        data: { state: "waiting-approval", status: 76 },
      }],
    });
    const [ended] = await Array.fromAsync(surveyRuns(runs));
    const row = historyRow(ended!, now);
    assert.deepEqual(
      [row.state, row.status, row.endedAt, row.tookMs],
      ["waiting-approval", 76, "2026-11-20T19:30:02.000Z", 2_000],
    );
    using _ = await holdRun(folder);
    const [held] = await Array.fromAsync(surveyRuns(runs));
    const again = historyRow(held!, now);
    assert.deepEqual(
      [again.state, again.status, again.endedAt, again.tookMs, again.next],
      ["running", null, null, 3_600_000, null],
    );
  }));

Deno.test("a run that never wrote anything took no time", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs, { records: [] });
    const [surveyed] = await Array.fromAsync(surveyRuns(runs));
    const { state, tookMs, next } = historyRow(surveyed!, now);
    assert.deepEqual([state, tookMs, next], [
      "interrupted",
      0,
      "osctl runbook resume 20261120-7k2f",
    ]);
  }));

Deno.test("a node in several fan-outs is counted once", () =>
  withFolder({}, async (runs) => {
    const nodes: readonly (readonly [string, string, string])[] = [
      ["pull", "w-1", "done"],
      ["pull", "w-2", "done"],
      ["workers", "w-1", "done"],
      ["workers", "w-2", "failed"],
    ];
    const records = nodes.flatMap(([p, n, state]) => [
      { type: "enter", path: p, node: n, entry: 1 } as const,
      { type: "node", path: p, node: n, entry: 1, data: { state } } as const,
    ]);
    await makeRun(runs, { records: [started, ...records] });
    const [surveyed] = await Array.fromAsync(surveyRuns(runs));
    const { done, failed } = historyRow(surveyed!, now);
    assert.deepEqual([done, failed], [1, 1]);
  }));
