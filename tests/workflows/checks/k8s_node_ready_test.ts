import assert from "node:assert/strict";
import { k8sNodeReady } from "../../../workflows/checks/k8s_node_ready.ts";
import { answering } from "../kubernetes/_answers.ts";
import { resource, siteOf } from "./_site.ts";

function look(
  ready: boolean,
  unschedulable: boolean,
  input: Readonly<Record<string, boolean>> = {},
) {
  const kubernetes = answering({
    "/api/v1/nodes/one": {
      metadata: { name: "one" },
      spec: { unschedulable },
      status: {
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      },
    },
  });
  const site = siteOf({
    nodes: { w1: { get: () => resource({ nodename: "one" }) } },
    node: "w1",
    cluster: { kubernetes: () => Promise.resolve(kubernetes) },
  });
  return k8sNodeReady.look(site, input);
}

Deno.test("k8s.nodeReady asks Kubernetes, and minds a cordon only when told", async () => {
  assert.deepEqual(await look(true, true), { ok: true, seen: "one is ready" });
  assert.deepEqual(await look(false, false), {
    ok: false,
    reason: "one is not ready",
  });
  assert.deepEqual(await look(true, true, { schedulable: true }), {
    ok: false,
    reason: "one is cordoned",
  });
});
