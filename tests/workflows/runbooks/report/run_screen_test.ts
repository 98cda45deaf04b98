import assert from "node:assert/strict";
import {
  foldRun,
  inCondition,
} from "../../../../workflows/runbooks/report/run_state.ts";
import { drawRun } from "../../../../workflows/runbooks/report/run_screen.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event, goldenStream } from "./_streams.ts";
import {
  begun,
  goes,
  many,
  path,
  plan,
  screen,
  startedAt,
  starts,
  upTo,
} from "./_screen_events.ts";

Deno.test("drawRun says once what the run and its nodes wait for", () => {
  const reason = "the window opens on Monday at 20:00";
  const data = { reason };
  const run = foldRun([
    ...goes,
    event("run.waiting", 201, { data: { reason, for: "window" } }),
    event("step.waiting", 201, {
      path: `${path.workers}/node/body/restart`,
      node: "w-2",
      data,
    }),
    event("step.waiting", 201, { path: path.workers, data }),
    event("run.waiting", 201, { data: { reason, for: "window" } }),
  ]).shown();
  const lines = screen(run, 210);
  assert.deepEqual(
    lines.filter((line) => /waiting|window/i.test(line)),
    [
      "roll on prod  waiting 3m30s, since 19:30 UTC  run r1",
      "● w-2   waiting  v1.12.0              20s",
      "Waiting: the window opens on Monday at 20:00",
    ],
  );
});

Deno.test("drawRun cuts a long reason in the line of its node, and gives it whole below", () => {
  const reason = `no eviction of ${"a-pod-with-a-long-name, ".repeat(6)}`
    .trim();
  const run = foldRun([
    ...goes,
    event("node.ended", 205, {
      path: path.workers,
      node: "w-2",
      data: { state: "failed", message: reason },
    }),
  ]).shown();
  const [line = ""] = screen(run, 210, 120).filter((one) => /✗/.test(one));
  assert.match(
    line,
    /^✗ w-2 {3}failed: no eviction of a-pod.{40,52}… {2}v1\.12\.0 +15s$/,
  );
  assert.match(
    screen(run, 210, 120).join(" "),
    /\bw-2 failed: no eviction of a/,
  );
});

Deno.test("drawRun says what another Ctrl-C does, where it reaches the run", () => {
  const stopping = event("run.stopping", 205, {
    data: { reason: "interrupt" },
  });
  const run = foldRun([...goes, stopping]).shown();
  assert.equal(screen(run, 210).at(-1), "Stopping after w-2 (rebooting)");
  assert.equal(
    screen({ ...run, isHere: true }, 210).at(-1),
    "Stopping after w-2 (rebooting); Ctrl-C again stops at once",
  );
});

Deno.test("drawRun never cuts the id of a run", () => {
  const run = {
    ...foldRun(goes).shown(),
    run: "20261120-7k2f",
    runbook: "a-runbook-with-quite-a-long-name-of-its-own",
    cluster: "production-frankfurt-one",
    state: "waiting-approval",
  };
  for (const columns of [60, 80, 200]) {
    const [title = ""] = screen(run, 100_000, columns);
    assert.match(title, /run 20261120-7k2f$/);
    assert.ok(title.length <= columns, title);
  }
});

Deno.test("drawRun shows what a gate waits for, and where the run is", () => {
  const waiting = event("step.waiting", 1, {
    path: "check",
    data: { reason: "etcd.noAlarms: NOSPACE on cp-1" },
  });
  const run = foldRun([...upTo(1), waiting]).shown();
  assert.deepEqual(screen(run, 7), [
    "roll on prod  running 7s, since 19:30 UTC  run r1",
    "────────────────────────────────────────  0 of 4 nodes",
    "● Check the cluster  ○ Upgrade one worker 0/1  ○ Approval  +2 more",
    "",
    "○ w-1   queued  v1.12.0",
    "○ cp-1  queued  v1.12.0",
    "○ w-2   queued  v1.12.0",
    "○ w-3   queued  v1.12.0",
    "",
    "Check the cluster: waiting: NOSPACE on cp-1, 7s",
  ]);
});

Deno.test("drawRun shows each node on its way, in words", () => {
  assert.deepEqual(screen(foldRun(upTo(6)).shown(), 7), [
    "roll on prod  running 7s, since 19:30 UTC  run r1",
    "────────────────────────────────────────  0 of 4 nodes",
    "✓ 1 done  ● Upgrade one worker 0/1  ○ Approval  +2 more",
    "",
    "● w-1   draining, 3 pods left  v1.12.0  3s",
    "○ cp-1  queued                 v1.12.0",
    "○ w-2   queued                 v1.12.0",
    "○ w-3   queued                 v1.12.0",
  ]);
  assert.deepEqual(screen(foldRun(upTo(6)).shown(), 7, 120), [
    "roll on prod  running 7s, since 19:30 UTC  run r1",
    "────────────────────────────────────────  0 of 4 nodes",
    "✓ Check the cluster  ● Upgrade one worker 0/1  ○ Approval  ○ Upgrade control planes 0/1  ○ Upgrade workers 0/2",
    "",
    "● w-1   draining, 3 pods left  v1.12.0  3s",
    "○ cp-1  queued                 v1.12.0",
    "○ w-2   queued                 v1.12.0",
    "○ w-3   queued                 v1.12.0",
  ]);
});

Deno.test("drawRun shows an approval with the command that answers it", () => {
  assert.deepEqual(screen(foldRun(begun).shown(), 96), [
    "roll on prod  running 1m36s, since 19:30 UTC  run r1",
    "━━━━━━━━━━──────────────────────────────  1 of 4 nodes",
    "✓ 2 done  ● Approval  ○ Upgrade control planes 0/1  ○ Upgrade workers 0/2",
    "",
    "✓ w-1   done    v1.12.0 → v1.12.4  1m30s",
    "○ cp-1  queued  v1.12.0",
    "○ w-2   queued  v1.12.0",
    "○ w-3   queued  v1.12.0",
    "",
    'Approval "go": Upgrade the other nodes?',
    "  Answer with: osctl runbook approve r1 go",
  ]);
});

Deno.test("drawRun estimates the time left from the first nodes, and names the next one", () => {
  const run = foldRun(goes).shown();
  assert.deepEqual(screen(run, 220), [
    "roll on prod  running 3m40s, since 19:30 UTC  run r1",
    "━━━━━━━━━━━━━━━━━━━━────────────────────  2 of 4 nodes, about 3m left",
    "✓ 4 done  ● Upgrade workers 0/2",
    "",
    "✓ w-1   done       v1.12.0 → v1.12.4  1m30s",
    "✓ cp-1  done       v1.12.0 → v1.12.4  1m30s",
    "● w-2   rebooting  v1.12.0              30s",
    "○ w-3   queued     v1.12.0",
    "",
    "Next: w-3, when w-2 is done; one at a time; the first failure stops the run",
  ]);
  assert.deepEqual(screen(run, 220, 120), [
    "roll on prod  running 3m40s, since 19:30 UTC  run r1",
    "━━━━━━━━━━━━━━━━━━━━────────────────────  2 of 4 nodes, about 3m left",
    "✓ Check the cluster  ✓ Upgrade one worker 1/1  ✓ Approval  ✓ Upgrade control planes 1/1  ● Upgrade workers 0/2",
    "",
    "✓ w-1   done       v1.12.0 → v1.12.4  1m30s",
    "✓ cp-1  done       v1.12.0 → v1.12.4  1m30s",
    "● w-2   rebooting  v1.12.0              30s",
    "○ w-3   queued     v1.12.0",
    "",
    "Next: w-3, when w-2 is done; one at a time; the first failure stops the run",
  ]);
  // Nothing happens for two minutes: the estimate counts the next node only.
  assert.deepEqual(screen(run, 320).slice(0, 2), [
    "roll on prod  running 5m20s, since 19:30 UTC  nothing new for 2m0s  run r1",
    "━━━━━━━━━━━━━━━━━━━━────────────────────  2 of 4 nodes, about 2m left",
  ]);
});

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
    "● w-2   interrupted while rebooting  v1.12.0              20s",
    "○ w-3   queued                       v1.12.0",
    "",
    "Resume with: osctl runbook resume r1",
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
    "● w-2   interrupted while rebooting  v1.12.0              25s",
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

Deno.test("drawRun counts 300 nodes, and shows those that need attention", () => {
  const run = foldRun(many(300)).shown();
  assert.deepEqual(screen(run, 10, 80, 20), [
    "r1  running 10s, since 19:30 UTC",
    "────────────────────────────────────────  2 of 300 nodes, 1 failed",
    "● workers 2/300",
    "",
    "300 nodes: 1 failed, 1 rebooting, 1 waiting, 296 queued, 1 done",
    "✗ w-2    failed while draining: disruption budget shop/db allows no evicti…   9s",
    "● w-190  rebooting                                                           10s",
    "● w-191  waiting: budget: 3 of 3 nodes are unavailable                       10s",
    "",
    "w-2 failed while draining: disruption budget shop/db allows no eviction",
    "Next: w-3, when one of w-190, w-191 is done",
  ]);
  assert.deepEqual(screen(run, 10, 120, 20), [
    "r1  running 10s, since 19:30 UTC",
    "────────────────────────────────────────  2 of 300 nodes, 1 failed",
    "● workers 2/300",
    "",
    "300 nodes: 1 failed, 1 rebooting, 1 waiting, 296 queued, 1 done",
    "✗ w-2    failed while draining: disruption budget shop/db allows no eviction   9s",
    "● w-190  rebooting                                                            10s",
    "● w-191  waiting: budget: 3 of 3 nodes are unavailable                        10s",
    "",
    "Next: w-3, when one of w-190, w-191 is done",
  ]);
});

Deno.test("drawRun never exceeds its room", async () => {
  const runs = [foldRun(many(40)).shown(), foldRun(goes).shown()];
  runs.push(foldRun(await goldenStream("partial")).shown());
  for (const run of runs) {
    for (const columns of [20, 40, 80, 200]) {
      for (const rows of [1, 5, 12, 50]) {
        const lines = screen(run, 300, columns, rows);
        assert.ok(lines.length <= rows, `${lines.length} of ${rows} rows`);
        for (const line of lines) {
          assert.ok([...line].length <= columns, `${columns}: ${line}`);
        }
      }
    }
  }
});

Deno.test("drawRun counts the finished steps of a long runbook, and those for which there is no room", () => {
  const ids = Array.from({ length: 40 }, (_, i) => `step-${i + 1}`);
  const stages = ids.map((path, i) => ({
    path,
    title: `Step ${i + 1}`,
    ...i < 19 && { state: "done" },
  }));
  const run = foldRun([
    event("run.planned", 0, { data: { runbook: "long", stages } }),
    event("step.start", 0, { path: "step-20" }),
  ]).shown();
  assert.deepEqual(screen(run, 3), [
    "long  running 3s, since 19:30 UTC  run r1",
    "━━━━━━━━━━━━━━━━━━━─────────────────────  19 of 40 steps",
    "✓ 19 done  ● Step 20  ○ Step 21  ○ Step 22  ○ Step 23  ○ Step 24  +16 more",
    "",
    "Step 20, 3s",
  ]);
});

Deno.test("drawRun shows text from nodes on one line, without control sequences", () => {
  const node = "w-1";
  const data = { reason: "line\nnext \x1b[2Jgone" };
  const run = foldRun([
    event("node.entered", 0, { path: "a", node }),
    event("step.progress", 0, { path: "a/b", node, data }),
  ]).shown();
  assert.deepEqual(screen(run, 0).slice(-1), [
    "● w-1  b: line next gone  0s",
  ]);
});
