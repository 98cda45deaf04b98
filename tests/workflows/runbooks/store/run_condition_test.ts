import assert from "node:assert/strict";
import type { NewRecord } from "../_records.ts";
import {
  findCondition,
  isUnfinished,
  listInDoubt,
  nextCommand,
} from "../../../../workflows/runbooks/store/run_condition.ts";
import { readRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { holdRun, makeRun, started } from "./_runs.ts";

const id = "20261120-7k2f";

function makeEnd(state: string): NewRecord {
  return { type: "run.end", data: { state, status: 0 } };
}

const cases: Readonly<Record<string, readonly [string, boolean]>> = {
  succeeded: ["succeeded", false],
  // Its nodes that failed may be tried again.
  partial: ["partial", true],
  cancelled: ["cancelled", false],
  failed: ["failed", true],
  blocked: ["blocked", true],
  stopped: ["stopped", true],
  "waiting-approval": ["waiting-approval", true],
  refused: ["refused", true],
};

for (const [state, [condition, goesOn]] of Object.entries(cases)) {
  Deno.test(`a run that ended ${state} ${goesOn ? "goes on" : "is over"}`, () =>
    withFolder({}, async (runs) => {
      await makeRun(runs, { records: [started, makeEnd(state)] });
      const run = await readRun(runs, id);
      assert.equal(findCondition(run), condition);
      assert.equal(
        nextCommand(run),
        goesOn ? "osctl runbook resume 20261120-7k2f" : undefined,
      );
    }));
}

Deno.test("a run without an end is on while a process has it, and interrupted afterwards", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs);
    assert.equal(findCondition(await readRun(runs, id)), "interrupted");
    using _ = await holdRun(folder);
    const run = await readRun(runs, id);
    assert.equal(findCondition(run), "running");
    assert.equal(nextCommand(run), undefined);
  }));

Deno.test("a run that was killed before its first record can be resumed, and blocks nothing", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs, { records: [] });
    const run = await readRun(runs, id);
    assert.deepEqual([findCondition(run), nextCommand(run)], [
      "interrupted",
      `osctl runbook resume ${id}`,
    ]);
    assert.equal(isUnfinished(run), false);
  }));

Deno.test("in doubt is what was sent and has no end", () =>
  withFolder({}, async (runs) => {
    const sent = (p: string, n?: string): NewRecord => ({
      type: "intent",
      path: p,
      ...(n === undefined ? {} : { node: n }),
      entry: 1,
      data: { operation: "reboot", key: "k", input: {} },
    });
    const result = (p: string, n: string, d: NewRecord["data"]): NewRecord => ({
      type: "result",
      path: p,
      node: n,
      entry: 1,
      ...(d === undefined ? {} : { data: d }),
    });
    await makeRun(runs, {
      records: [
        started,
        sent("workers/restart", "w-1"),
        result("workers/restart", "w-1", { state: "ok" }),
        sent("workers/restart", "w-2"),
        { type: "ack", path: "workers/restart", node: "w-2", entry: 1 },
        sent("workers/restart", "w-3"),
        result("workers/restart", "w-3", { state: "failed", code: "in-doubt" }),
        sent("snapshot"),
      ],
    });
    const { history } = await readRun(runs, id);
    const step = "workers/restart";
    const operation = "reboot";
    assert.deepEqual(listInDoubt(history), [
      { step, node: "w-2", operation, acknowledged: true },
      { step, node: "w-3", operation, acknowledged: false },
      { step: "snapshot", operation, acknowledged: false },
    ]);
  }));
