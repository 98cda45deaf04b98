import assert from "node:assert/strict";
import { stoppingAfter } from "../../../../workflows/runbooks/report/stop_state.ts";
import { event } from "./_streams.ts";

const waiting = [
  { node: "cp-2", until: "controlplane/node/verify" },
  { node: "w-3", until: "workers/node/verify" },
];

Deno.test("stoppingAfter omits nodes whose step has ended, or that are through", () => {
  const [first, second] = waiting;
  const [path, node] = ["controlplane/node/verify", "cp-2"];
  const done = event("step.done", 1, { path, node });
  const failed = event("step.failed", 1, { path, node });
  const other = event("step.done", 1, {
    path: "controlplane/node/restart",
    node,
  });
  const ended = event("node.ended", 1, { path: "workers", node: "w-3" });
  assert.deepEqual(stoppingAfter(waiting, done), [second]);
  assert.deepEqual(stoppingAfter(waiting, failed), [second]);
  assert.deepEqual(stoppingAfter(waiting, other), waiting);
  assert.deepEqual(stoppingAfter(waiting, ended), [first]);
});
