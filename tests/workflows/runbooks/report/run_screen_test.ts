import assert from "node:assert/strict";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import { event, goldenStream } from "./_streams.ts";
import { begun, goes, many, path, screen, upTo } from "./_screen_events.ts";

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
    /^✗ w-2 {3}failed: no eviction of a-pod.{40,52}… {2}was v1\.12\.0 +15s$/,
  );
  assert.match(
    screen(run, 210, 120).join(" "),
    /\bw-2 failed: no eviction of a/,
  );
});

Deno.test("drawRun has no clock of the run while this terminal asks, as nothing is drawn meanwhile", () => {
  const run = foldRun([
    ...goes,
    event("approval.requested", 201, {
      path: "go",
      data: { tag: "go", message: "Touch it?", destructive: false },
    }),
    event("run.waiting", 201, { data: { reason: "go", for: "approval" } }),
  ]).shown();
  const asked = run.asked.map((one) => ({ ...one, here: true }));
  assert.equal(
    screen({ ...run, asked }, 210)[0],
    "roll on prod  waiting for an answer, started 19:30 UTC  run r1",
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
  const soaking = event("step.waiting", 8, {
    path: "check",
    data: {
      reason: "soaking for 30s; checks pass",
      until: "2026-11-20T19:30:38.000Z",
    },
  });
  assert.equal(
    screen(foldRun([...upTo(1), waiting, soaking]).shown(), 20).at(-1),
    "Check the cluster: soaking, 18s left",
  );
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
    "━━━━━━━━━━──────────────────────────────  1 of 4 nodes, up to 5m left",
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
