import assert from "node:assert/strict";
import {
  clientAt,
  newImage,
  newVersion,
  nodeAt,
  until,
  withModel,
} from "../../../simulator/_model.ts";

Deno.test("nodes join with the version the cluster began with", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    await clientAt(cluster, "demo-worker-1").machine.upgrade({
      image: newImage,
    });
    await cluster.inject({ what: "joins", role: "worker" });
    await cluster.inject({ what: "joins", role: "controlplane" });
    await until(
      cluster,
      () => nodeAt(cluster, "demo-worker-1").version === newVersion,
    );
    assert.deepEqual(cluster.nodes(), [
      "demo-controlplane-1",
      "demo-controlplane-2",
      "demo-worker-1",
      "demo-worker-2",
    ]);
    const joined = nodeAt(cluster, "demo-controlplane-2");
    assert.equal(joined.version, "v1.13.4");
    assert.equal(joined.isReady, true);
    assert.deepEqual([joined.etcd.isRunning, joined.etcd.isLearner], [
      true,
      false,
    ]);
    assert.deepEqual(joined.etcd.members, [
      "demo-controlplane-1",
      "demo-controlplane-2",
    ]);
    const { messages } = await clientAt(cluster, "demo-worker-2").machine
      .version({});
    assert.equal(messages[0]?.version?.tag, "v1.13.4");
  });
});

Deno.test("a node that leaves is off, unknown to the others, and no member any more", async () => {
  await withModel({ controlPlanes: 3, workers: 1 }, async (cluster) => {
    await cluster.inject({ what: "leaves", node: "demo-controlplane-2" });
    await cluster.inject({ what: "leaves", node: "demo-worker-1" });
    assert.deepEqual(cluster.nodes(), [
      "demo-controlplane-1",
      "demo-controlplane-3",
    ]);
    const gone = nodeAt(cluster, "demo-controlplane-2");
    assert.deepEqual([gone.isPart, gone.isOn, gone.etcd.hasData], [
      false,
      false,
      false,
    ]);
    assert.deepEqual(nodeAt(cluster, "demo-controlplane-1").etcd.members, [
      "demo-controlplane-1",
      "demo-controlplane-3",
    ]);
    await assert.rejects(
      clientAt(cluster, "demo-worker-1").machine.version({}),
      { reason: "refused" },
    );
    // Names are not given away again.
    await cluster.inject({ what: "joins", role: "controlplane" });
    assert.equal(nodeAt(cluster, "demo-controlplane-4").isReady, true);
  });
});
