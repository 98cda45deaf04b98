import assert from "node:assert/strict";
import { RunState } from "../../../../workflows/runbooks/report/run_state.ts";
import { statusRow } from "../../../../workflows/runbooks/report/status_row.ts";
import { readRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { event } from "./_streams.ts";
import { demo, holdRun, makeRun, started } from "../store/_runs.ts";

const parts = { runbook: demo, artifacts: [] };

Deno.test("status row: reports count for a node in their fan-out only", () =>
  withFolder({}, async (runs) => {
    const p = "workers";
    using _ = await holdRun(
      await makeRun(runs, {
        records: [started, { type: "enter", path: p, node: "w-1", entry: 1 }],
      }),
    );
    const state = new RunState();
    state.take(event("node.entered", 1, { path: "other", node: "w-1" }));
    state.take(event("step.waiting", 2, {
      path: "other/x",
      node: "w-1",
      data: { reason: "no room" },
    }));
    const run = await readRun(runs, "20261120-7k2f");
    const { nodes } = statusRow({ ...parts, run, shown: state.shown() });
    assert.deepEqual(
      nodes.map(({ node, state, message }) => [node, state, message]),
      [
        ["w-1", "running", null],
        ["w-2", "queued", null],
        ["w-3", "queued", null],
        ["cp-1", "queued", null],
      ],
    );
  }));

Deno.test("nodes that a run which is over never came to were not reached", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs, {
      records: [started, {
        type: "run.end",
        data: { state: "succeeded", status: 0, outputs: { a: 1 } },
      }],
    });
    const run = await readRun(runs, "20261120-7k2f");
    const row = statusRow({ ...parts, run, shown: new RunState().shown() });
    assert.deepEqual(row.outputs, { a: 1 });
    assert.ok(row.nodes.every(({ state }) => state === "not-reached"));
  }));
