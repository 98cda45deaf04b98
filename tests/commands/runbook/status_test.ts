import assert from "node:assert/strict";
import type { RunEvent } from "../../../workflows/runbooks/event.ts";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { openEventFile } from "../../../workflows/runbooks/store/event_file.ts";
import { run } from "../../_run.ts";
import { event } from "../../workflows/runbooks/report/_streams.ts";
import {
  holdRun,
  makeRun,
  started,
} from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";

const now = new Date("2026-11-20T19:32:00Z");
const p = "workers";

/** A worker that is done, one that restarts, a question, and one that waits for its turn. */
const records: readonly NewRecord[] = [
  started,
  { type: "enter", path: p, node: "w-1", entry: 1 },
  {
    type: "node",
    path: p,
    node: "w-1",
    entry: 1,
    data: { state: "done", tookMs: 20_000 },
  },
  { type: "enter", path: p, node: "w-2", entry: 1 },
  {
    type: "result",
    path: "workers/drain",
    node: "w-2",
    entry: 1,
    data: { state: "ok", module: "node.drain" },
  },
  {
    type: "intent",
    path: "workers/restart",
    node: "w-2",
    entry: 1,
    data: { operation: "reboot", key: "b", input: {} },
  },
  { type: "ack", path: "workers/restart", node: "w-2", entry: 1 },
  {
    type: "decision",
    path: "workers/drain",
    node: "w-3",
    data: { verdict: "skip", reason: "drained\nby hand", by: "eve@desk" },
  },
];

const asked: NewRecord = {
  type: "approval.requested",
  path: "planes/wipe",
  data: {
    tag: "wipe",
    message: "Lose all data of cp-1?",
    destructive: true,
    typed: "cp-1",
    lastsMs: 3_600_000,
  },
};

const events: readonly RunEvent[] = [
  event("run.planned", 0, {
    data: {
      runbook: "demo",
      cluster: "prod",
      stages: [{ path: "go" }, { path: "workers" }, { path: "planes" }],
    },
  }),
  event("run.started", 1, { data: { runbook: "demo" } }),
  event("step.done", 2, { path: "go" }),
  event("step.start", 3, { path: p, data: { verb: "forEach" } }),
  event("group.resolved", 3, {
    path: p,
    data: {
      nodes: ["w-1", "w-2", "w-3"],
      maxUnavailable: 1,
      maxFailures: 0,
    },
  }),
  event("node.entered", 4, { path: p, node: "w-1", data: { entry: 1 } }),
  event("node.ended", 24, { path: p, node: "w-1", data: { state: "done" } }),
  event("node.entered", 25, { path: p, node: "w-2", data: { entry: 1 } }),
  event("step.start", 30, {
    path: "workers/restart",
    node: "w-2",
    data: { verb: "run" },
  }),
  event("step.waiting", 31, {
    path: "workers/restart",
    node: "w-2",
    data: { reason: "waiting for the kubelet" },
  }),
];

async function status(env: Record<string, string>, line = "") {
  const ran = await run(`runbook status ${line}`, {}, { env, now });
  assert.equal(ran.status, 0, ran.err);
  return ran;
}

Deno.test("runbook status shows a run that continues as it is now", () =>
  withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    using _ = await holdRun(await makeRun(runs, { records, events }));
    const { out } = await status(env);
    assert.equal(
      out,
      `demo on prod  running 1m59s, since 19:30 UTC  run 20261120-7k2f
━━━━━━━━━━━━━───────────────────────────  1 of 4 nodes
✓ go  ● workers 1/3  ○ planes

✓ w-1   done                       20s
● w-2   waiting for the kubelet  1m35s
○ w-3   queued
○ cp-1  queued

Next: w-3, when w-2 is done; the first failure stops the run

Skipped
  w-3, drain: drained by hand

In progress
  w-2 is still cordoned
`,
    );
  }));

Deno.test("runbook status shows what a run was doing whose process is gone", () =>
  withHome(async (env) => {
    await makeRun(`${env.OS_HOME}/runs`, { records, events });
    const { out } = await status(env, "7k2f");
    assert.equal(
      out,
      `demo on prod  interrupted 7s, since 19:30 UTC  run 20261120-7k2f
━━━━━━━━━━━━━───────────────────────────  1 of 4 nodes
✓ go  ● workers 1/3  ○ planes

✓ w-1   done                    20s
● w-2   interrupted in restart   4s
○ w-3   queued
○ cp-1  queued

Skipped
  w-3, drain: drained by hand

Left on nodes
  w-2 is still cordoned

In doubt
  w-2 in restart: reboot, accepted by the node

Resume with
osctl runbook resume 20261120-7k2f

Abort with
osctl runbook abort 20261120-7k2f --reason "…"
`,
    );
  }));

Deno.test("runbook status shows the report of a run that has ended, its questions, and what was left in the middle", () =>
  withHome(async (env) => {
    const failure = {
      step: "",
      code: "approval",
      message: '"wipe" needs approval: Lose all data of cp-1?',
    };
    await makeRun(`${env.OS_HOME}/runs`, {
      records: [...records, asked, {
        type: "run.end",
        data: { state: "waiting-approval", status: 76, outputs: {}, failure },
      }],
    });
    const { out } = await status(env, "last");
    assert.equal(
      out,
      `demo on prod is waiting for an approval
Run 20261120-7k2f, status 76, 2026-11-20 19:30 UTC, took 9s
4 nodes: 1 done, 1 interrupted, 2 not reached
"wipe" needs approval: Lose all data of cp-1?

Done
  w-1  20s

Skipped
  w-3, drain: drained by hand

Interrupted in the middle of their steps
  w-2 in workers

Not reached
  workers: w-3
  planes: cp-1

Left on nodes
  w-2 is still cordoned

Waiting for approval
  wipe: Lose all data of cp-1?
    osctl runbook approve 20261120-7k2f wipe --typed cp-1

In doubt
  w-2 in restart: reboot, accepted by the node

Resume with
osctl runbook resume 20261120-7k2f
`,
    );
  }));

Deno.test("runbook status shows what there is when the runbook was changed", () =>
  withHome(async (env) => {
    const folder = await makeRun(`${env.OS_HOME}/runs`, { records });
    await Deno.writeTextFile(`${folder}/ir.json`, "{}");
    const { out, err } = await status(env);
    assert.match(err, /has changed since the run started\n$/);
    assert.match(out, /^demo on prod {2}interrupted 7s/);
  }));

Deno.test("runbook status --watch shows a run until its process has let go of it", () =>
  withHome(async (env) => {
    const folder = await makeRun(`${env.OS_HOME}/runs`, { records, events });
    const held = await holdRun(folder);
    await using file = await openEventFile(folder, assert.fail);
    setTimeout(async () => {
      await file.add(event("run.ended", 90, { data: { state: "stopped" } }));
      held[Symbol.dispose]();
    }, 50);
    const { out, err } = await status(env, "--watch");
    assert.match(err, /^19:31:30 run r1 stopped at a safe point$/m);
    assert.match(out, /^demo on prod {2}interrupted 7s/);
  }));

Deno.test("runbook status --watch of a run that no process has shows it once", () =>
  withHome(async (env) => {
    await makeRun(`${env.OS_HOME}/runs`, { records });
    const { out, err } = await status(env, "-w");
    assert.match(out, /interrupted/);
    assert.equal(err, "");
  }));
