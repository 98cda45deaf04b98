import assert from "node:assert/strict";
import { nodeReady } from "../../../workflows/checks/node_ready.ts";
import { resource, siteOf, versionOf } from "./_site.ts";

function look(stage: string, ready: boolean) {
  const unmetConditions = [{ name: "services", reason: "kubelet" }];
  const w1 = {
    async *read() {
      yield await Promise.resolve({ bytes: new TextEncoder().encode("b-1") });
    },
    get: () =>
      resource({
        stage,
        status: { ready, unmetConditions: ready ? [] : unmetConditions },
      }),
    version: () => versionOf("v1.12.11"),
  };
  return nodeReady.look(siteOf({ nodes: { w1 } }), { node: "w1" });
}

Deno.test("node.ready wants the stage and the word of the node", async () => {
  assert.deepEqual(await look("running", true), {
    ok: true,
    seen: "running and ready",
  });
  assert.deepEqual(await look("running", false), {
    ok: false,
    reason: "not ready; services: kubelet",
  });
  assert.deepEqual(await look("booting", false), {
    ok: false,
    reason: "stage is booting",
  });
  assert.deepEqual(await look("", false), {
    ok: false,
    reason: "stage is not known",
  });
});

Deno.test("node.ready wants a node", async () => {
  await assert.rejects(nodeReady.look(siteOf({}), {}), { name: "UsageError" });
});
