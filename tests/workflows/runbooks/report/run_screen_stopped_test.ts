import assert from "node:assert/strict";
import {
  foldRun,
  inCondition,
} from "../../../../workflows/runbooks/report/run_state.ts";
import { drawRun } from "../../../../workflows/runbooks/report/run_screen.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";
import {
  goes,
  path,
  plan,
  screen,
  startedAt,
  starts,
} from "./_screen_events.ts";

Deno.test("drawRun shows a run whose process was killed, and what resumes it", () => {
  const at = startedAt + 210_000;
  const run = inCondition(foldRun(goes).shown(), {
    condition: "interrupted",
    at,
  });
  assert.deepEqual(screen(run, 900), [
    "roll on prod  interrupted 3m30s, since 19:30 UTC  run r1",
    "━━━━━━━━━━━━━━━━━━━━────────────────────  2 of 4 nodes",
    "✓ 4 done  ● Upgrade workers 0/2",
    "",
    "✓ w-1   done                         v1.12.0 → v1.12.4  1m30s",
    "✓ cp-1  done                         v1.12.0 → v1.12.4  1m30s",
    "● w-2   interrupted while rebooting  was v1.12.0          20s",
    "○ w-3   queued                       v1.12.0",
    "",
    "Resume with: osctl runbook resume r1",
    'Abort with: osctl runbook abort r1 --reason "…"',
  ]);
  assert.deepEqual(
    screen(run, 900, 120).slice(3),
    screen(run, 900).slice(3),
  );
});

Deno.test("drawRun counts no node of a stopped run as done that was not", () => {
  const ended = event("run.ended", 215, {
    data: { state: "stopped", next: "osctl runbook resume r1" },
  });
  const run = foldRun([
    ...goes,
    event("node.ended", 214, {
      path: path.workers,
      node: "w-3",
      data: { state: "not-reached" },
    }),
    ended,
  ]).shown();
  assert.deepEqual(screen(run, 900), [
    "roll on prod  stopped 3m35s, since 19:30 UTC  run r1",
    "━━━━━━━━━━━━━━━━━━━━────────────────────  2 of 4 nodes",
    "✓ 4 done  ● Upgrade workers 0/2",
    "",
    "✓ w-1   done                         v1.12.0 → v1.12.4  1m30s",
    "✓ cp-1  done                         v1.12.0 → v1.12.4  1m30s",
    "● w-2   interrupted while rebooting  was v1.12.0          25s",
    "○ w-3   not reached                  v1.12.0",
    "",
    "Resume with: osctl runbook resume r1",
  ]);
  const marks = drawRun(run, { columns: 80, rows: 24 }, startedAt)
    .flat().filter(({ text }) => text === "●");
  assert.deepEqual(marks.map(({ style }) => style), ["changing", "changing"]);
});

Deno.test("drawRun does not count preparations of another runbook as its work", () => {
  const at = (id: string, node: string) => ({ path: `config/${id}`, node });
  const resolved = (
    second: number,
    id: string,
    nodes: readonly string[],
    disrupts = false,
  ) =>
    event("group.resolved", second, {
      path: `config/${id}`,
      data: { nodes, atOnce: 1, maxFailures: 0, ...disrupts && { disrupts } },
    });
  const passes = (second: number, id: string, node: string) => [
    event("node.entered", second, at(id, node)),
    event("node.ended", second + 10, {
      ...at(id, node),
      data: { state: "done", tookMs: 10_000 },
    }),
  ];
  const asks = (second: number, id: string) =>
    event("approval.requested", second, {
      path: `config/${id}`,
      data: { tag: id, message: "Continue?" },
    });
  const first = [
    event("run.planned", 0, {
      data: {
        runbook: "site-apply",
        cluster: "prod",
        stages: [
          { path: "config", title: "Apply configurations", verb: "use" },
        ],
      },
    }),
    resolved(0, "backup", ["cp-1", "w-1"]),
    ...passes(0, "backup", "cp-1"),
    ...passes(0, "backup", "w-1"),
    event("step.done", 10, { path: "config/backup" }),
    asks(11, "go"),
  ];
  const shown = (...events: readonly RunEvent[]) =>
    screen(foldRun(events).shown(), 100).slice(1, 6);
  assert.deepEqual(shown(...first), [
    "────────────────────────────────────────  0 of 2 nodes",
    "● Apply configurations 0/2",
    "",
    "○ cp-1  queued",
    "○ w-1   queued",
  ]);
  const answered = event("approval.answered", 12, {
    path: "config/go",
    data: { tag: "go" },
  });
  // A resumed run reports the end of the node before the fan-out.
  const canary = [
    resolved(12, "canary", ["w-1"], true),
    ...passes(12, "canary", "w-1"),
  ];
  for (const part of [canary, [...canary.slice(2), ...canary.slice(0, 1)]]) {
    assert.deepEqual(shown(...first, answered, ...part, asks(23, "rest")), [
      "━━━━━━━━━━━━━━━━━━━━────────────────────  1 of 2 nodes",
      "● Apply configurations 1/2",
      "",
      "○ cp-1  queued",
      "✓ w-1   done",
    ]);
  }
  assert.deepEqual(
    shown(
      ...first,
      answered,
      ...canary,
      resolved(24, "rest", ["cp-1"], true),
      ...passes(24, "rest", "cp-1"),
      event("step.done", 40, { path: "config" }),
    ).slice(0, 2),
    [
      "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2 of 2 nodes",
      "✓ Apply configurations 2/2",
    ],
  );
});

Deno.test("drawRun goes on after a resume: what earlier processes did counts", () => {
  const earlier = ["check", "canary", "go", "planes"];
  const run = foldRun([
    ...goes,
    plan(600, earlier),
    event("run.resumed", 600, { data: { runbook: "roll", entry: 2 } }),
    event("group.resolved", 601, {
      path: path.workers,
      data: { nodes: ["w-2", "w-3"], atOnce: 1, maxFailures: 0 },
    }),
    event("node.entered", 601, { path: path.workers, node: "w-2" }),
    starts("restart", 602, { path: path.workers, node: "w-2" }),
  ]).shown();
  assert.deepEqual(screen(run, 620), [
    "roll on prod  running 10m20s, since 19:30 UTC  run r1",
    "━━━━━━━━━━━━━━━━━━━━────────────────────  2 of 4 nodes",
    "✓ 4 done  ● Upgrade workers 0/2",
    "",
    "✓ w-1   done       v1.12.0 → v1.12.4",
    "✓ cp-1  done       v1.12.0",
    "● w-2   rebooting  v1.12.0            19s",
    "○ w-3   queued     v1.12.0",
    "",
    "Next: w-3, when w-2 is done; one at a time; the first failure stops the run",
  ]);
});

Deno.test("drawRun shows which nodes a stop still waits for", () => {
  const waiting = [{ node: "w-2", until: "workers/body/restart" }];
  const stopping = event("run.stopping", 210, { data: { waiting } });
  const run = foldRun([...goes, stopping]).shown();
  assert.deepEqual(screen(run, 211).slice(-2), [
    "",
    "Stopping after w-2 (rebooting)",
  ]);
});
