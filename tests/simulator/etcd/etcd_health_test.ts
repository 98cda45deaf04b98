import assert from "node:assert/strict";
import { keyOf } from "../../../simulator/contents/content.ts";
import { memberIdText } from "../../../simulator/etcd/database.ts";
import { loseEtcd, watchHealth } from "../../../simulator/etcd/etcd_health.ts";
import { startEtcd, stopEtcd } from "../../../simulator/etcd/etcd_service.ts";
import type { SimulatedNode } from "../../../simulator/node.ts";
import { historyOf, servingNodes, until } from "./_nodes.ts";

/** What a node says of its member. */
function memberOf({ resources }: SimulatedNode): unknown {
  return resources.get(keyOf({ type: "EtcdMembers.etcd", id: "local" }))?.spec;
}

function isHealthy({ services }: SimulatedNode): boolean {
  return services.get("etcd")?.health.healthy ?? false;
}

Deno.test("a member that serves is healthy, and the node tells who it is", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  const id = await node.etcd.server.client.memberId();
  assert.deepEqual(memberOf(node), { memberID: memberIdText(id) });
  assert.equal(isHealthy(node), true);
});

Deno.test("a member that loses the majority is not healthy until it is back", async () => {
  const [one, two, three] = await servingNodes(3);
  assert.ok(one && two && three);
  await stopEtcd(two);
  await stopEtcd(three);
  await until(one, () => !isHealthy(one));
  assert.equal(
    historyOf(one).at(-1),
    "Running: Health check failed: etcdserver: no leader",
  );
  assert.equal(memberOf(one), undefined);
  startEtcd(two);
  await until(one, () => isHealthy(one));
  assert.equal(historyOf(one).at(-1), "Running: Health check successful");
  assert.notEqual(memberOf(one), undefined);
});

Deno.test("a result that stays the same is told once", async () => {
  const [one, , three] = await servingNodes(3);
  assert.ok(one && three);
  const before = historyOf(one);
  await stopEtcd(three);
  const stop = new AbortController();
  let checks = 0;
  const { changes } = one.cluster.etcd.backend;
  const watch = watchHealth(one, stop.signal, () => {
    checks++;
    if (checks < 3) changes.tell();
    else stop.abort();
  });
  await watch;
  assert.equal(checks, 3);
  assert.deepEqual(historyOf(one), before);
});

Deno.test("a member that has ended is not healthy, and its pods are gone", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  const name = `kube-system/kube-apiserver-${node.identity.hostname}`;
  const pod = keyOf({ type: "StaticPodStatuses.kubernetes", id: name });
  assert.ok(node.resources.get(pod));
  loseEtcd(node);
  assert.equal(
    historyOf(node).at(-1),
    "Running: Health check failed: service not running",
  );
  assert.equal(memberOf(node), undefined);
  assert.equal(node.resources.get(pod), undefined);
});
