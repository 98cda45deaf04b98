import assert from "node:assert/strict";
import { createModelCluster } from "../../simulator/model_cluster.ts";
import {
  clientAt,
  newImage,
  newVersion,
  nodeAt,
  until,
  withModel,
} from "./_model.ts";

Deno.test("a new model cluster is ready, has a quorum, and was asked nothing", async () => {
  await withModel({ controlPlanes: 3, workers: 2 }, (cluster) => {
    const { nodes, quorum, dataLost, calls } = cluster.truth();
    assert.deepEqual(cluster.nodes(), [
      "demo-controlplane-1",
      "demo-controlplane-2",
      "demo-controlplane-3",
      "demo-worker-1",
      "demo-worker-2",
    ]);
    for (const node of nodes) {
      assert.equal(node.isReady, true, node.name);
      assert.equal(node.version, "v1.13.4");
      assert.deepEqual([node.reboots, node.installs], [0, 0]);
      assert.deepEqual(node.slots, ["v1.13.4"]);
    }
    assert.deepEqual(
      quorum.map(({ at: _, ...standing }) => standing),
      [{ hasQuorum: true, clusters: 1, down: [], copies: 3 }],
    );
    assert.deepEqual([dataLost, calls], [0, []]);
    return Promise.resolve();
  });
});

Deno.test("a rolling upgrade of six nodes takes an hour of their time and keeps the quorum", async () => {
  await withModel({ controlPlanes: 3, workers: 3 }, async (cluster) => {
    const start = cluster.clock.now();
    for (const name of cluster.nodes()) {
      await clientAt(cluster, name).machine.upgrade({ image: newImage });
      await until(cluster, () => {
        const { version, isReady } = nodeAt(cluster, name);
        return version === newVersion && isReady;
      });
    }
    const { nodes, quorum, calls } = cluster.truth();
    for (const node of nodes) {
      assert.deepEqual(
        [node.version, node.reboots, node.installs, node.isReady],
        [newVersion, 1, 1, true],
        node.name,
      );
      assert.deepEqual(node.slots, ["v1.13.4", newVersion]);
    }
    assert.ok(quorum.every(({ hasQuorum }) => hasQuorum));
    assert.ok(quorum.some(({ down }) => down.length === 1));
    assert.ok(quorum.every(({ down }) => down.length <= 1));
    assert.deepEqual(
      calls.map(({ node, method, mutating, carriedOut }) =>
        [node, method, mutating, carriedOut].join(" ")
      ),
      cluster.nodes().map((name) => `${name} Upgrade true true`),
    );
    const minutes = (cluster.clock.now() - start) / 60_000;
    assert.ok(minutes > 10 && minutes < 60, String(minutes));
  });
});

Deno.test("a seed gives nodes paces of their own, the same ones each time", async () => {
  const readyAfter = async (seed?: number) => {
    const cluster = await createModelCluster({
      controlPlanes: 1,
      version: "v1.13.4",
      ...(seed === undefined ? {} : { seed }),
    });
    await cluster.stop();
    return cluster.truth().at;
  };
  assert.equal(await readyAfter(7), await readyAfter(7));
  assert.notEqual(await readyAfter(7), await readyAfter(8));
  assert.notEqual(await readyAfter(7), await readyAfter());
});

Deno.test("a node that nobody knows cannot be asked", async () => {
  await withModel({}, async (cluster) => {
    await assert.rejects(
      async () => await clientAt(cluster, "nobody").machine.version({}),
      new RangeError('No simulated node is named "nobody"'),
    );
  });
});
