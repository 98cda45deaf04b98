import assert from "node:assert/strict";
import { listLeaves } from "../../../../workflows/runbooks/report/instances.ts";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event, goldenStream } from "./_streams.ts";

const path = "workers/node/restart";

/** Steps of a stream, and nodes of its fan-outs. */
function foldOf(events: readonly RunEvent[]) {
  const { instances, passages } = foldRun(events);
  return {
    instances: [...instances.values()],
    passages: [...passages.values()],
  };
}

Deno.test("a state has each step on each node once, with its last end", () => {
  const { instances } = foldOf([
    event("step.start", 1, { path, node: "w-1", attempt: 1 }),
    event("step.waiting", 2, { path, node: "w-1", data: { reason: "S2" } }),
    event("step.waiting", 3, { path, node: "w-1", data: { reason: "S2" } }),
    event("step.failed", 4, {
      path,
      node: "w-1",
      data: { code: "unavailable", message: "refused" },
    }),
    event("step.start", 9, { path, node: "w-1", attempt: 1 }),
    event("step.progress", 9, { path, node: "w-1", data: { unavailable: 1 } }),
    event("step.done", 10, { path, node: "w-1" }),
    event("step.skipped", 10, { path, node: "w-2", data: { reason: "no" } }),
  ]);
  assert.deepEqual(instances, [
    {
      path,
      node: "w-1",
      state: "done",
      startedAt: "2026-11-20T19:30:01.000Z",
      ended: "2026-11-20T19:30:10.000Z",
      reported: ["waiting: S2"],
    },
    {
      path,
      node: "w-2",
      state: "skipped",
      startedAt: "2026-11-20T19:30:10.000Z",
      ended: "2026-11-20T19:30:10.000Z",
      message: "no",
      reported: [],
    },
  ]);
});

Deno.test("a state says how each node of a fan-out ended", async () => {
  const { passages } = foldOf(await goldenStream("partial"));
  assert.deepEqual(
    passages.map(({ path, node, state, code }) => [path, node, state, code]),
    [
      ["controlplane", "cp-1", "done", undefined],
      ["workers", "w-1", "done", undefined],
      ["workers", "w-2", "failed", "drain-blocked"],
      ["workers", "w-3", "recovered", "gate-timeout"],
      ["workers", "w-4", "not-reached", undefined],
    ],
  );
});

Deno.test("a state leaves a step in doubt open in time", () => {
  const { instances } = foldOf([
    event("step.in-doubt", 1, { path, node: "w-1", data: { message: "lost" } }),
  ]);
  const [step] = instances;
  assert.deepEqual(
    [step?.state, step?.ended, step?.message],
    ["indoubt", undefined, "lost"],
  );
});

Deno.test("listLeaves omits the steps that hold others", () => {
  const { instances } = foldOf(
    ["workers", "workers/node", path, "final", "final2"].map((path) =>
      event("step.start", 1, { path })
    ),
  );
  assert.deepEqual(listLeaves(instances).map(({ path }) => path), [
    path,
    "final",
    "final2",
  ]);
});
