import assert from "node:assert/strict";
import {
  stoppingAfter,
  stoppingText,
} from "../../../../workflows/runbooks/report/stop_state.ts";
import { event } from "./_streams.ts";

const waiting = [
  { node: "cp-2", until: "controlplane/node/verify" },
  { node: "w-3", until: "workers/node/verify" },
];
const stop = event("run.stopping", 0, { data: { waiting } });

Deno.test("stoppingText names the nodes and the step each continues to", () => {
  const text = "stopping, waiting for cp-2 until verify, w-3 until verify";
  assert.equal(stoppingText(waiting), text);
  assert.equal(stoppingText([]), "stopping");
});

Deno.test("stoppingAfter begins with a stop, and ends with the run", () => {
  assert.equal(stoppingAfter(undefined, event("note", 0)), undefined);
  const done = { path: "workers", node: "w-3" };
  assert.equal(
    stoppingAfter(undefined, event("node.ended", 0, done)),
    undefined,
  );
  assert.deepEqual(stoppingAfter(undefined, stop), waiting);
  assert.deepEqual(stoppingAfter(undefined, event("run.stopping", 0)), []);
  assert.equal(stoppingAfter(waiting, event("run.ended", 1)), undefined);
});

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
