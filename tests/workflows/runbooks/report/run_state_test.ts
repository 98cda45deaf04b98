import assert from "node:assert/strict";
import { runState } from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event, goldenStream } from "./_streams.ts";

/** What the run itself says after events. */
function after(...events: readonly RunEvent[]) {
  const { take, shown } = runState();
  for (const one of events) take(one);
  return shown();
}

const startedAt = Date.UTC(2026, 10, 20, 19, 30);

Deno.test("runState begins empty", () => {
  assert.deepEqual(after(), {
    run: "",
    runbook: "",
    cluster: "",
    state: "running",
    reason: "",
    stages: [],
    fanOuts: [],
    nodes: [],
    asked: [],
  });
});

Deno.test("runState knows the run, and how it ended", async () => {
  const { run, runbook, cluster, state, startedAt: from, ended, nodes } = after(
    ...await goldenStream("partial"),
  );
  assert.deepEqual({ run, runbook, cluster, state }, {
    run: "20261120-7k2f",
    runbook: "rolling-upgrade",
    cluster: "prod",
    state: "partial",
  });
  assert.deepEqual([from, ended], [startedAt, startedAt + 653_000]);
  assert.equal(nodes.length, 5);
});

Deno.test("runState waits as a whole until something else happens", () => {
  const data = { reason: "the window opens at 20:00" };
  const waiting = event("run.waiting", 0, { data });
  const { state, reason } = after(waiting);
  assert.deepEqual([state, reason], ["waiting", "the window opens at 20:00"]);
  const on = after(waiting, event("step.start", 1, { path: "a" }));
  assert.deepEqual([on.state, on.reason], ["running", ""]);
});

Deno.test("runState stops until it ends", () => {
  const waiting = [{ node: "w-1", until: "a/b" }];
  const stop = event("run.stopping", 0, {
    data: { reason: "interrupt", waiting },
  });
  const stopping = after(stop, event("note", 1));
  assert.deepEqual([stopping.state, stopping.reason], [
    "stopping",
    "interrupt",
  ]);
  assert.deepEqual(stopping.stopping, waiting);
  const end = after(stop, event("run.ended", 2));
  assert.deepEqual([end.state, end.reason, end.stopping], [
    "ended",
    "",
    undefined,
  ]);
});

Deno.test("runState waits for all that are inside when a stop names nobody", () => {
  const path = "workers";
  const { stopping } = after(
    event("node.entered", 0, { path, node: "w-1" }),
    event("node.entered", 0, { path, node: "w-2" }),
    event("node.ended", 1, { path, node: "w-2", data: { state: "done" } }),
    event("run.stopping", 2),
  );
  assert.deepEqual(stopping, [{ node: "w-1", until: "" }]);
});

Deno.test("runState keeps a question until it is answered, or the run ends", () => {
  const data = { tag: "start", message: "Go?" };
  const asked = event("approval.requested", 0, { path: "go", data });
  const bare = event("approval.requested", 0, {
    path: "b",
    data: { tag: "b" },
  });
  assert.deepEqual(after(asked, bare).asked, [
    { ...data, command: "osctl runbook approve r1 start", path: "go" },
    { tag: "b", message: "", command: "osctl runbook approve r1 b", path: "b" },
  ]);
  const answered = event("approval.answered", 1, { path: "go", data });
  assert.deepEqual(after(asked, answered).asked, []);
  assert.deepEqual(after(asked, event("run.ended", 1)).asked, []);
});

Deno.test("runState continues when another process takes the run up", () => {
  const state = runState();
  state.take(event("run.started", 0));
  state.take(event("run.ended", 5, { data: { state: "stopped" } }));
  state.take(event("run.resumed", 60, { data: { runbook: "r" } }));
  const { state: is, ended, startedAt } = state.shown();
  assert.deepEqual(
    [is, ended, startedAt],
    ["running", undefined, Date.UTC(2026, 10, 20, 19, 30)],
  );
});
