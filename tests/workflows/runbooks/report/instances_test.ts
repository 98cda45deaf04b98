import assert from "node:assert/strict";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";

const path = "workers/node/restart";

/** Steps of a stream, and nodes of its fan-outs. */
function foldInstances(events: readonly RunEvent[]) {
  const { instances, passages } = foldRun(events);
  return {
    instances: [...instances.values()],
    passages: [...passages.values()],
  };
}

Deno.test("a state has each step on each node once, with its last end", () => {
  const { instances } = foldInstances([
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
