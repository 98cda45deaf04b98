import assert from "node:assert/strict";
import { foldNodes } from "../../../../workflows/runbooks/report/node_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";

const node = "w-1";
const path = "workers/node/body/restart";
const startedAt = Date.UTC(2026, 10, 20, 19, 30);

const queued = event("node.queued", 0, { path: "workers", node });
const entered = event("node.entered", 1, { path: "workers", node });
const started = event("step.start", 5, { path, node });

/** The node after events. */
function after(...events: readonly RunEvent[]) {
  const { take, shown } = foldNodes();
  for (const one of events) take(one);
  const [first, ...others] = shown();
  assert.deepEqual([first?.node, others], [node, []]);
  return first;
}

const atRestart = {
  node,
  path: "workers",
  step: "restart",
  since: startedAt + 5_000,
};

Deno.test("foldNodes knows what a node waits for, until it continues", () => {
  const data = { reason: "S1: etcd voter cp-3 not healthy" };
  const waiting = event("step.waiting", 6, { path, node, data });
  assert.deepEqual(after(entered, started, waiting), {
    ...atRestart,
    state: "waiting",
    text: "S1: etcd voter cp-3 not healthy",
  });
  const text = { reason: "waiting for the node to come back" };
  const on = event("step.progress", 9, { path, node, data: text });
  const silent = event("step.progress", 9, { path, node });
  assert.deepEqual(after(entered, started, waiting, on, silent), {
    ...atRestart,
    state: "running",
    text: "waiting for the node to come back",
  });
});

Deno.test("foldNodes shows why a step is tried again, failed or is in doubt", () => {
  const data = { code: "unavailable", message: "connection refused" };
  for (const type of ["step.retry", "step.failed"] as const) {
    const failed = event(type, 6, { path, node, data });
    assert.deepEqual(after(entered, started, failed), {
      ...atRestart,
      state: "running",
      text: "unavailable: connection refused",
    });
  }
  const doubt = event("step.in-doubt", 6, { path, node, data });
  const shown = after(entered, started, doubt);
  assert.equal(shown?.text, "in doubt: connection refused");
});

Deno.test("foldNodes forgets what a step said when it is done, and skipped ones", () => {
  const text = { reason: "stage booting" };
  const shown = after(
    entered,
    started,
    event("step.progress", 6, { path, node, data: text }),
    event("step.done", 7, { path, node }),
    event("step.skipped", 7, { path: "workers/node/legacy", node }),
  );
  assert.deepEqual([shown?.step, shown?.text], ["restart", ""]);
});

Deno.test("foldNodes says how a node ended, where, and how long all of it took", () => {
  const data = { state: "failed", step: path, code: "wrong-version" };
  const end = event("node.ended", 61, { path: "workers", node, data });
  assert.deepEqual(after(queued, entered, started, end), {
    node,
    path: "workers",
    state: "failed",
    step: "restart",
    text: "wrong-version",
    since: startedAt + 1_000,
    ended: startedAt + 61_000,
  });
});

Deno.test("foldNodes knows nodes from the fan-out, but for those that are through with it", () => {
  const { take, shown } = foldNodes();
  const resolved = (path: string) =>
    event("group.resolved", 1, { path, data: { nodes: ["w-1", "w-2"] } });
  take(
    event("node.ended", 0, { path: "workers", node, data: { state: "done" } }),
  );
  take(resolved("workers"));
  assert.deepEqual(shown().map(({ state }) => state), ["done", "queued"]);
  take(resolved("more"));
  assert.deepEqual(shown().map(({ state }) => state), ["queued", "queued"]);
  take(event("group.resolved", 1, { path: "empty", data: { nodes: [] } }));
  assert.equal(shown().length, 2);
});

Deno.test("foldNodes shows why a node may not enter yet", () => {
  const data = { reason: "not available: w-7; at most 1 may be" };
  const held = event("step.waiting", 2, { path: "workers", node, data });
  assert.deepEqual(after(queued, held), {
    node,
    path: "workers",
    state: "queued",
    step: "",
    text: "not available: w-7; at most 1 may be",
  });
});
