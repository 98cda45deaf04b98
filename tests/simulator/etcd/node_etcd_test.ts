import assert from "node:assert/strict";
import {
  makeFounders,
  newCluster,
  nodeEtcd,
} from "../../../simulator/etcd/node_etcd.ts";
import { madeNodes } from "../_node.ts";

const unbegun = { bootstrapped: false };

Deno.test("the etcd of a new node does not run and founds nothing", async () => {
  const [node] = await madeNodes();
  const { cluster, identity } = node!;
  const etcd = nodeEtcd(cluster.etcd.backend, identity);
  assert.deepEqual(
    [etcd.server.isRunning(), etcd.founding, etcd.instance],
    [false, undefined, undefined],
  );
  assert.equal(etcd.server.endpoint(), "10.5.0.2:2379");
});

Deno.test("a cluster is begun by the nodes under their names and peer URLs", async () => {
  assert.deepEqual(await newCluster(await madeNodes({ controlplanes: 2 })), {
    isNew: true,
    members: [
      { name: "lab-controlplane-1", peerUrl: "https://10.5.0.2:2380" },
      { name: "lab-controlplane-2", peerUrl: "https://10.5.0.3:2380" },
    ],
  });
});

Deno.test("founders begin one cluster together, without workers and nodes in maintenance", async () => {
  const nodes = await madeNodes({
    ...unbegun,
    controlplanes: 3,
    workers: 1,
    unconfigured: (index) => index === 1,
  });
  assert.deepEqual(nodes.map(({ etcd }) => etcd.founding), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  makeFounders(nodes);
  const [first, second, third, worker] = await Promise.all(
    nodes.map(({ etcd }) => etcd.founding?.()),
  );
  assert.deepEqual([second, worker], [undefined, undefined]);
  assert.deepEqual(first?.members.map(({ name }) => name), [
    "lab-controlplane-1",
    "lab-controlplane-3",
  ]);
  // It is the same one, not an equal one.
  assert.equal(first, third);
});
