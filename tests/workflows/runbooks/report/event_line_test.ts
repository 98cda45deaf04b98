import assert from "node:assert/strict";
import { eventLine } from "../../../../workflows/runbooks/report/event_line.ts";
import {
  foldRun,
  RunState,
} from "../../../../workflows/runbooks/report/run_state.ts";
import { event, golden, goldenStream } from "./_streams.ts";

for (const name of golden) {
  Deno.test(`eventLine tells the stream ${name} as is written beside it`, async () => {
    const url = new URL(
      `../../../workflows/runbooks/report/golden/${name}.lines.txt`,
      import.meta.url,
    );
    const state = new RunState();
    const lines = (await goldenStream(name)).flatMap((one) => {
      state.take(one);
      return eventLine(one, state) ?? [];
    });
    assert.equal(`${lines.join("\n")}\n`, await Deno.readTextFile(url));
  });
}

/** The line of one event of a run in which steps and nodes have been named. */
function line(...event_: Parameters<typeof event>): string | undefined {
  const state = foldRun([
    event("run.planned", 0, {
      data: {
        runbook: "demo",
        cluster: "prod",
        stages: [{ path: "a", title: "Upgrade workers", verb: "forEach" }],
      },
    }),
    event("node.entered", 0, { path: "a", node: "w-1" }),
    event("step.start", 0, {
      path: "a/b",
      node: "w-1",
      data: { verb: "run", module: "node.drain" },
    }),
    event("step.start", 0, { path: "a/g", data: { verb: "block" } }),
  ]);
  const last = event(...event_);
  state.take(last);
  return eventLine(last, state);
}

Deno.test("eventLine keeps to one line, without control sequences", () => {
  const data = { message: "first\nsecond \x1b[31mred" };
  assert.equal(line("note", 7, { data }), "19:30:07 first second red");
});

Deno.test("eventLine names titles, activities and nodes, never ids", () => {
  const path = "a";
  const inner = { path: "a/b", node: "w-1" };
  const cases: readonly [Parameters<typeof event>, string | undefined][] = [
    [["step.done", 0, { path }], "Upgrade workers: done"],
    [
      ["step.done", 0, { path, data: { changed: false } }],
      "Upgrade workers: nothing to do",
    ],
    [
      ["group.resolved", 0, { path, data: { nodes: [] } }],
      "Upgrade workers: no nodes",
    ],
    [
      ["group.resolved", 0, {
        path,
        data: { nodes: Array.from({ length: 12 }, (_, i) => `w-${i}`) },
      }],
      "Upgrade workers: 12 nodes: w-0, w-1, w-2, w-3, w-4, w-5, w-6, w-7, w-8, w-9 and 2 more",
    ],
    [["step.start", 0, {
      ...inner,
      data: { verb: "run", module: "node.drain" },
    }], "w-1: draining"],
    [
      ["step.progress", 0, { ...inner, data: { reason: "draining w-1" } }],
      undefined,
    ],
    [
      ["step.progress", 0, { ...inner, data: { reason: "3 pods left" } }],
      "w-1: draining: 3 pods left",
    ],
    [
      ["step.waiting", 0, { ...inner, data: { reason: "Ready" } }],
      "w-1: waiting: Ready",
    ],
    [
      ["step.retry", 0, {
        ...inner,
        data: {
          code: "unavailable",
          message: "w-1: connection refused",
          waitMs: 5_000,
        },
      }],
      "w-1: failed while draining: connection refused; again in 5s",
    ],
    [
      ["step.failed", 0, { path, data: { code: "busy" } }],
      "Upgrade workers: failed: busy",
    ],
    [
      ["step.skipped", 0, { ...inner, data: { reason: "INC-4711" } }],
      "w-1: draining: skipped: INC-4711",
    ],
    [
      ["step.skipped", 0, {
        path: "a/h",
        node: "w-1",
        data: {
          reason: "when",
          title: "Drain the node",
          condition: "inputs.drain",
        },
      }],
      "w-1: drain the node: skipped: its condition is false: inputs.drain",
    ],
    [["step.done", 0, { path: "a/g" }], undefined],
    [["step.skipped", 0, { path: "a/h", data: { reason: "when" } }], undefined],
    [
      ["node.ended", 0, {
        path,
        node: "w-1",
        data: { state: "done", tookMs: 61_000, version: "v1.13.4" },
      }],
      "Upgrade workers: w-1 done in 1m1s, v1.13.4",
    ],
    [
      ["node.ended", 0, {
        path,
        node: "w-1",
        data: {
          state: "failed",
          step: "a/b",
          code: "drain-blocked",
          message: "no eviction",
        },
      }],
      "Upgrade workers: w-1 failed while draining: no eviction",
    ],
    [
      ["node.ended", 0, { path, node: "w-1", data: { state: "not-reached" } }],
      "Upgrade workers: w-1 not reached",
    ],
    [
      ["approval.requested", 0, {
        path: "a",
        data: { tag: "t", message: "Go?" },
      }],
      "approval t: Go?; answer with: osctl runbook approve r1 t",
    ],
    [
      ["approval.answered", 0, {
        path: "a",
        data: { tag: "t", approved: false },
      }],
      "approval t: refused",
    ],
    [
      ["approval.answered", 0, {
        path: "a",
        data: { tag: "t", approved: false, by: "eve", reason: "not today" },
      }],
      "approval t: refused by eve: not today",
    ],
    [["lock.lost", 0], "the run has lost its lock on the cluster"],
    [["run.stopping", 0], "stopping after w-1 (draining)"],
    [
      ["run.ended", 0, { data: { state: "partial" } }],
      "run r1 finished, but some nodes failed",
    ],
  ];
  for (const [given, expected] of cases) {
    assert.equal(line(...given), expected && `19:30:00 ${expected}`);
  }
});
