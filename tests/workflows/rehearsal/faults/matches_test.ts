import assert from "node:assert/strict";
import {
  matchesNode,
  matchesStep,
} from "../../../../workflows/rehearsal/faults/matches.ts";

Deno.test("nodes are named with or without their cluster, and with stars", () => {
  const names = ["demo-controlplane-1", "demo-worker-1", "demo-worker-12"];
  const meant = (glob: string) =>
    names.filter((name) => matchesNode(glob, name));
  assert.deepEqual(meant("worker-1"), ["demo-worker-1"]);
  assert.deepEqual(meant("demo-worker-12"), ["demo-worker-12"]);
  assert.deepEqual(meant("worker-*"), ["demo-worker-1", "demo-worker-12"]);
  assert.deepEqual(meant("cp-1"), ["demo-controlplane-1"]);
  assert.deepEqual(meant("*"), names);
  assert.deepEqual(meant("w.rker-1"), []);
});

Deno.test("steps are named by the end of their path, or with all below", () => {
  const paths = ["workers", "workers/node", "workers/node/body/restart"];
  const meant = (glob: string) =>
    paths.filter((path) => matchesStep(glob, path));
  assert.deepEqual(meant("restart"), ["workers/node/body/restart"]);
  assert.deepEqual(meant("body/re*"), ["workers/node/body/restart"]);
  assert.deepEqual(meant("workers"), ["workers"]);
  assert.deepEqual(meant("workers/*"), paths.slice(1));
  assert.deepEqual(meant("start"), []);
});
