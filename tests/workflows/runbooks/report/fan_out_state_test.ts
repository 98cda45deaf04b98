import assert from "node:assert/strict";
import { foldFanOuts } from "../../../../workflows/runbooks/report/fan_out_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";

const path = "workers";

/** Fan-outs after events. */
function after(...events: readonly RunEvent[]) {
  const { take, shown } = foldFanOuts();
  for (const one of events) take(one);
  return shown();
}

const begin = event("group.resolved", 0, {
  path,
  data: {
    nodes: ["w-1", "w-2", "w-3"],
    maxUnavailable: 2,
    maxFailures: 1,
  },
});

function entered(node: string): RunEvent {
  return event("node.entered", 1, { path, node });
}

function ended(node: string, state: string): RunEvent {
  return event("node.ended", 2, { path, node, data: { state } });
}

Deno.test("foldFanOuts takes nodes that are unavailable for other reasons as they are given", () => {
  const data = { unavailable: 2 };
  const [one] = after(
    begin,
    entered("w-1"),
    event("step.progress", 2, { path, data }),
    event("step.waiting", 2, { path, data: { reason: "budget" } }),
  );
  assert.deepEqual([one?.inFlight, one?.unavailable], [1, 2]);
});

Deno.test("foldFanOuts counts a node that is tried again as in flight only", () => {
  const [one] = after(
    begin,
    entered("w-1"),
    ended("w-1", "failed"),
    entered("w-1"),
  );
  assert.deepEqual([one?.ended, one?.failures, one?.inFlight], [0, 0, 1]);
});

Deno.test("foldFanOuts knows fan-outs whose limits were not reported, and when each ends", () => {
  const [one] = after(
    event("node.queued", 0, { path, node: "w-1" }),
    event("step.failed", 1, { path, data: { code: "internal" } }),
    event("step.done", 1, { path: "final" }),
  );
  assert.deepEqual(one, {
    path,
    nodes: 1,
    ended: 0,
    inFlight: 0,
    failures: 0,
    unavailable: 0,
    open: false,
  });
});
