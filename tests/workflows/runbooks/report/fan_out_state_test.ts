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

function enter(node: string): RunEvent {
  return event("node.entered", 1, { path, node });
}

Deno.test("foldFanOuts takes nodes that are unavailable for other reasons as they are given", () => {
  const data = { unavailable: 2 };
  const [one] = after(
    begin,
    enter("w-1"),
    event("step.progress", 2, { path, data }),
    event("step.waiting", 2, { path, data: { reason: "budget" } }),
  );
  assert.deepEqual([one?.inFlight, one?.unavailable], [1, 2]);
});

Deno.test("foldFanOuts leaves interruptions out of the mean duration of its nodes", () => {
  const end = (node: string, tookMs: number, resumed?: true) => {
    const data = { state: "done", tookMs, ...resumed && { resumed } };
    return event("node.ended", 1, { path, node, data });
  };
  const done = [
    { node: "w-1", tookMs: 20_000, resumed: false },
    { node: "w-2", tookMs: 28_800_000, resumed: true },
  ];
  const planned = event("run.planned", 0, {
    data: { fanOuts: [{ path, nodes: ["w-1", "w-2", "w-3"], done }] },
  });
  assert.equal(
    after(begin, end("w-1", 20_000), end("w-2", 28_800_000, true))[0]?.meanMs,
    20_000,
  );
  const [one] = after(planned);
  assert.deepEqual([one?.meanMs, one?.ended], [20_000, 2]);
});
