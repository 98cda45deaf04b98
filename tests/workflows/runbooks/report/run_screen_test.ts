import assert from "node:assert/strict";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import { render } from "../../../../workflows/runbooks/report/run_screen.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event, goldenStream } from "./_streams.ts";

const small = { columns: 80, rows: 24 };
const startedAt = Date.UTC(2026, 10, 20, 19, 30);

/** What is on the screen after events, some seconds after the begin. */
function draw(
  events: readonly RunEvent[],
  second: number,
  size = small,
): readonly string[] {
  return render(foldRun(events).shown(), size, startedAt + second * 1_000);
}

/** The golden stream up to a second of its run. */
async function until(second: number): Promise<readonly RunEvent[]> {
  const events = await goldenStream("partial");
  return events.filter(({ ts }) =>
    Date.parse(ts) <= startedAt + second * 1_000
  );
}

Deno.test("render shows the plan, and the reason a step outside of fan-outs waits", async () => {
  assert.deepEqual(draw(await until(5), 7), [
    "rolling-upgrade on prod  20261120-7k2f  running  7s",
    "[>] preflight  [ ] snapshot  [ ] go  [ ] controlplane  [ ] workers  [ ] final",
    "preflight  waiting  6s  etcd.noAlarms: NOSPACE on cp-1",
  ]);
});

/** A fan-out over many nodes, some of them at every state. */
function many(count: number): readonly RunEvent[] {
  const path = "workers";
  const names = Array.from({ length: count }, (_, i) => `w-${i + 1}`);
  const data = { reason: "budget: 3 of 3 nodes are unavailable" };
  return [
    ...names.map((node) => event("node.queued", 0, { path, node })),
    event("node.entered", 0, { path, node: "w-1" }),
    event("node.ended", 9, { path, node: "w-1", data: { state: "done" } }),
    event("node.entered", 0, { path, node: "w-2" }),
    event("node.ended", 9, { path, node: "w-2", data: { state: "failed" } }),
    event("node.entered", 0, { path, node: "w-190" }),
    event("step.waiting", 1, { path: "workers/drain", node: "w-190", data }),
  ];
}

for (const columns of [80, 200]) {
  Deno.test(`render keeps 200 nodes to a screen of ${columns} columns: what failed first, then what goes on`, () => {
    const lines = draw(many(200), 10, { columns, rows: 12 });
    assert.deepEqual(lines, [
      "r1  running  10s",
      "[>] workers 2/200",
      "workers 2/200  1 in flight  1 unavailable  1 failed",
      "w-2    failed          9s",
      "w-190  waiting  drain  10s  budget: 3 of 3 nodes are unavailable",
      "w-3    queued               next, after w-190",
      "w-4    queued",
      "w-5    queued",
      "w-6    queued",
      "w-7    queued",
      "200 nodes: 1 failed, 1 waiting, 197 queued, 1 done",
    ]);
  });
}

Deno.test("render keeps the steps of a long runbook to three lines around what is running", () => {
  const ids = Array.from({ length: 40 }, (_, i) => `step-${i + 1}`);
  const data = { stages: ids.map((path) => ({ path })) };
  const lines = draw([
    event("run.planned", 0, { data }),
    event("step.start", 0, { path: "step-20" }),
  ], 3);
  assert.deepEqual(lines, [
    "r1  running  3s",
    "… [ ] step-19  [>] step-20  [ ] step-21  [ ] step-22  [ ] step-23  [ ] step-24",
    "[ ] step-25  [ ] step-26  [ ] step-27  [ ] step-28  [ ] step-29  [ ] step-30",
    "[ ] step-31  [ ] step-32  [ ] step-33  [ ] step-34  [ ] step-35  [ ] step-36 …",
    "step-20  running  3s",
  ]);
});

Deno.test("render shows text from nodes on one line, without control sequences", () => {
  const node = "w-1";
  const data = { reason: "line\nnext \x1b[2Jgone" };
  const lines = draw([
    event("node.entered", 0, { path: "a", node }),
    event("step.progress", 0, { path: "a/b", node, data }),
  ], 0);
  assert.equal(lines.at(-1), "w-1  running  b  0s  line next gone");
});

/** Six nodes of two roles, of which the workers pull an image first; the first ramps up. */
function stage(): readonly RunEvent[] {
  const [pull, up, planes] = ["pull", "workers", "planes"];
  const workers = ["w-1", "w-2", "w-3"];
  const nodes = ["cp-1", ...workers].map((node) => ({
    node,
    role: node === "cp-1" ? "controlplane" : "worker",
    version: "v1.12.0",
  }));
  const all = ["cp-1", ...workers];
  return [
    event("run.planned", 0, {
      data: {
        runbook: "roll",
        nodes,
        fanOuts: [
          { path: pull, nodes: all },
          { path: up, nodes: workers },
          { path: planes, nodes: ["cp-1"] },
        ],
        stages: [pull, "go", up, planes].map((path) => ({ path })),
      },
    }),
    event("group.resolved", 1, { path: pull, data: { nodes: all } }),
    ...all.flatMap((node) => [
      event("node.entered", 1, { path: pull, node }),
      event("node.ended", 2, { path: pull, node, data: { state: "done" } }),
    ]),
    event("step.done", 2, { path: pull }),
    event("step.start", 2, { path: "go" }),
    event("approval.requested", 2, {
      path: "go",
      data: { tag: "go", message: "Go?" },
    }),
  ];
}

Deno.test("render shows versions before and after, the batch, and who is next; roles leave first where there is no room", () => {
  const path = "workers";
  const events = [
    ...stage(),
    event("approval.answered", 3, { path: "go", data: { tag: "go" } }),
    event("step.done", 3, { path: "go" }),
    event("group.resolved", 3, {
      path,
      data: { nodes: ["w-1", "w-2", "w-3"], maxUnavailable: 1, batches: 2 },
    }),
    event("node.entered", 3, { path, node: "w-1", data: { batch: 1 } }),
    event("node.ended", 13, {
      path,
      node: "w-1",
      data: { state: "done", version: "v1.12.4" },
    }),
    event("node.entered", 13, { path, node: "w-2", data: { batch: 2 } }),
    event("step.progress", 14, {
      path: "workers/restart",
      node: "w-2",
      data: { reason: "stage booting: waiting for the network" },
    }),
  ];
  const at = (columns: number) => draw(events, 18, { columns, rows: 24 });
  assert.deepEqual(at(120).slice(2), [
    "workers 1/3  batch 2 of 2  1 in flight  1 unavailable (limit 1)  0 failed",
    "cp-1  controlplane  queued   planes           v1.12.0                 after workers",
    "w-1   worker        done                      v1.12.0 → v1.12.4  11s",
    "w-2   worker        running  workers restart  v1.12.0            5s   stage booting: waiting for the network",
    "w-3   worker        queued   workers          v1.12.0                 next, after w-2",
  ]);
  assert.equal(
    at(72)[2],
    "workers 1/3  batch 2 of 2  1 in flight  1/1 unavailable  0 failed",
  );
  assert.deepEqual(at(80).slice(3), [
    "cp-1  queued   planes           v1.12.0                 after workers",
    "w-1   done                      v1.12.0 → v1.12.4  11s",
    "w-2   running  workers restart  v1.12.0            5s   stage booting: waiting …",
    "w-3   queued   workers          v1.12.0                 next, after w-2",
    "+1 column: role",
  ]);
  assert.match(
    at(64)[5] ?? "",
    /^w-2 {3}running {2}workers restart {2}5s {3}stage/,
  );
});
