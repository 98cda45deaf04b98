import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { clusterHealth } from "../../../workflows/checks/cluster_health.ts";
import { withView } from "../_view.ts";

Deno.test("cluster.health holds for a healthy cluster, names what is missing in another, and omits what it is asked to", async () => {
  await withView({ controlplanes: 3, workers: 1 }, async (viewed) => {
    const context = { ...viewed, group: () => Promise.resolve(viewed.names) };
    assert.deepEqual(await clusterHealth.run(context, {}), {
      ok: true,
      seen: "16 conditions hold",
    });
    const { kubernetes } = viewed.running;
    kubernetes.request({
      method: "POST",
      path: "/api/v1/nodes",
      body: { metadata: { name: "edge-1" } },
    });
    assert.deepEqual(await clusterHealth.run(context, {}), {
      ok: true,
      seen: "16 conditions hold",
      note: "Skipped 1 Kubernetes node outside the cluster: edge-1",
    });
    const strict = await clusterHealth.run(context, { skipForeign: false });
    assert.match(
      "reason" in strict ? strict.reason : "",
      /^all k8s nodes to report: edge-1 is in Kubernetes and not expected; /,
    );
    const path = "/api/v1/nodes/simulated-worker-1";
    const body = { spec: { unschedulable: true } };
    kubernetes.request({ method: "PATCH", path, body });
    assert.deepEqual(await clusterHealth.run(context, {}), {
      ok: false,
      reason:
        "all k8s nodes to report schedulable: simulated-worker-1 is cordoned",
    });
    const without = ["all k8s nodes to report schedulable"];
    assert.equal((await clusterHealth.run(context, { without })).ok, true);
    await setFault(viewed.running.nodes[3]!, "unavailable");
    const down = await clusterHealth.run(context, { without });
    assert.equal(down.ok, false);
    assert.match(
      "reason" in down ? down.reason : "",
      /^apid to be ready: 10\.5\.0\.5: /,
    );
  });
});
