import assert from "node:assert/strict";
import { nodeKubeletHealthy } from "../../../workflows/checks/node_kubelet_healthy.ts";
import { servicesOf, siteOf } from "./_site.ts";

Deno.test("node.kubeletHealthy wants the kubelet to say so itself", async () => {
  const look = (state: string) => {
    const w1 = { serviceList: () => servicesOf({ kubelet: state }) };
    return nodeKubeletHealthy.look(siteOf({ nodes: { w1 }, node: "w1" }), {});
  };
  assert.deepEqual(await look("Running"), {
    ok: true,
    seen: "kubelet healthy",
  });
  assert.deepEqual(await look("?Running"), {
    ok: false,
    reason: "kubelet is not healthy",
  });
});
