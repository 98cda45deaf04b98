import assert from "node:assert/strict";
import { keyOf } from "../../../simulator/node/contents/content.ts";
import { startEtcd, stopEtcd } from "../../../simulator/etcd/etcd_service.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import {
  onEtcdHealthy,
  onEtcdStopped,
  onEtcdUnhealthy,
  refreshReadiness,
  registerNode,
  unmetConditions,
} from "../../../simulator/node/readiness.ts";
import { withCluster } from "../../_cluster.ts";
import { bootedNode, madeNodes } from "../_node.ts";

const memberKey = keyOf({ type: "EtcdMembers.etcd", id: "local" });

/** Identity of the node's member, as its resources tell it. */
function memberOf({ boot: { resources } }: SimulatedNode): unknown {
  return resources.get(memberKey)?.spec;
}

/** Whether static pods are there. */
function runsPods({ boot: { resources } }: SimulatedNode): boolean {
  const key = { type: "StaticPods.kubernetes", id: "kube-apiserver" };
  return resources.get(keyOf(key)) !== undefined;
}

/** What is not met, as one text each. */
function unmet(node: SimulatedNode): readonly string[] {
  return unmetConditions(node).map(({ name, reason }) => `${name}: ${reason}`);
}

Deno.test("without etcd no node is ready, and with the first member all are", async () => {
  const options = { bootstrapped: false, controlplanes: 2, workers: 1 };
  await withCluster(options, async (cluster) => {
    const [first, second, worker] = cluster.nodes;
    const missing = (name: string) =>
      `nodeReady: node "simulated-${name}" status is not available yet`;
    assert.deepEqual(unmet(first!), [
      "services: etcd not running",
      missing("controlplane-1"),
    ]);
    assert.deepEqual(unmet(worker!), [missing("worker-1")]);
    const plain = { recover: false, skipHashCheck: false };
    startEtcd(first!, plain);
    await cluster.settled();
    for (const node of [first!, second!, worker!]) {
      assert.deepEqual([unmet(node), node.boot.ready], [[], true]);
    }
  });
});

Deno.test("static pods and the member come and go with etcd", async () => {
  const node = await bootedNode();
  const member = memberOf(node);
  assert.match(JSON.stringify(member), /^\{"memberID":"[0-9a-f]{16}"\}$/);
  assert.equal(runsPods(node), true);
  await stopEtcd(node);
  assert.deepEqual([memberOf(node), runsPods(node)], [undefined, false]);
  assert.deepEqual(unmet(node), ["services: etcd not running"]);
  assert.equal(node.boot.ready, false);
  startEtcd(node);
  await node.etcd.instance?.startup;
  assert.deepEqual([memberOf(node), runsPods(node)], [member, true]);
  assert.equal(node.boot.ready, true);
});

Deno.test("a member that runs and does not serve leaves static pods alone", async () => {
  const node = await bootedNode();
  onEtcdUnhealthy(node);
  assert.deepEqual([memberOf(node), runsPods(node)], [undefined, true]);
  onEtcdStopped(node);
  assert.equal(runsPods(node), false);
  onEtcdHealthy(node, "00000000000000aa");
  assert.deepEqual(memberOf(node), { memberID: "00000000000000aa" });
  assert.equal(runsPods(node), true);
});

Deno.test("what keeps a node from being ready is reported when it changes, once", async () => {
  const node = await bootedNode();
  const count = node.boot.events.end();
  const service = node.boot.services.get("etcd")!;
  service.health = { ...service.health, healthy: false };
  refreshReadiness(node);
  refreshReadiness(node);
  assert.deepEqual(unmet(node), ["services: etcd not healthy"]);
  assert.deepEqual([node.boot.ready, node.boot.events.end()], [
    false,
    count + 1,
  ]);
  service.health = { ...service.health, healthy: true };
  refreshReadiness(node);
  assert.deepEqual([node.boot.ready, node.boot.events.end()], [
    true,
    count + 2,
  ]);
});

Deno.test("a node is registered when its kubelet and Kubernetes are there, not before", async () => {
  const [node] = await madeNodes();
  const { hostname: id } = node!.identity;
  const key = keyOf({ type: "NodeStatuses.kubernetes", id });
  registerNode(node!);
  node!.cluster.etcd.servesKubernetes = true;
  registerNode(node!);
  assert.equal(node!.boot.resources.get(key), undefined);
  const booted = await bootedNode();
  booted.boot.resources.remove(key);
  booted.cluster.etcd.servesKubernetes = false;
  registerNode(booted);
  assert.equal(booted.boot.resources.get(key), undefined);
  booted.cluster.etcd.servesKubernetes = true;
  registerNode(booted);
  const spec = booted.boot.resources.get(key)?.spec as {
    readonly nodename: string;
  };
  assert.equal(spec.nodename, "lab-controlplane-1");
});
