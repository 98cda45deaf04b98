import assert from "node:assert/strict";
import { memberIdText } from "../../../simulator/etcd/database.ts";
import {
  reportEtcdExit,
  startEtcd,
  stopEtcd,
  untilEtcd,
  watchHealth,
} from "../../../simulator/etcd/etcd_service.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { keyOf } from "../../../simulator/node/contents/content.ts";
import { madeNodes } from "../_node.ts";
import { fresh, historyOf, servingNodes, until } from "./_nodes.ts";

const start = [
  "Starting: Starting service",
  'Waiting: Waiting for service "cri" to be "up"',
  "Preparing: Running pre state",
];

const run = [
  "Preparing: Creating service runner",
  "Running: Started task etcd (PID 1885) for container etcd",
];

const stop = [
  "Stopping: Sending SIGTERM to task etcd (PID 1885, container etcd)",
  "Finished: Service finished successfully",
];

const healthy = "Running: Health check successful";

Deno.test("the service runs, is healthy, and ends when it is stopped", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  assert.deepEqual(historyOf(node), [...start, ...run, healthy]);
  assert.equal(node.etcd.server.isRunning(), true);
  await stopEtcd(node);
  assert.deepEqual(historyOf(node).slice(6), stop);
  assert.equal(node.boot.services.get("etcd")?.health.healthy, false);
  assert.equal(node.etcd.server.isRunning(), false);
  assert.equal(await node.etcd.server.hasData(), true);
});

Deno.test("a service that is not there is stopped at once", async () => {
  const [node] = await madeNodes();
  assert.ok(node);
  await stopEtcd(node);
  assert.deepEqual(historyOf(node), []);
});

Deno.test("a second start ends the first one before it begins", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  const id = await node.etcd.server.client.memberId();
  startEtcd(node);
  await node.etcd.instance?.startup;
  assert.deepEqual(historyOf(node), [
    ...[...start, ...run, healthy, ...stop],
    ...start,
    "Preparing: Creating service runner",
    "Running: Started task etcd (PID 1886) for container etcd",
    healthy,
  ]);
  assert.equal(await node.etcd.server.client.memberId(), id);
});

Deno.test("a service with no member to join waits until it is bootstrapped", async () => {
  const [node] = await madeNodes({ bootstrapped: false });
  assert.ok(node);
  startEtcd(node);
  await node.etcd.instance?.startup;
  assert.deepEqual(historyOf(node), start);
  startEtcd(node, fresh);
  await node.etcd.instance?.startup;
  assert.deepEqual(historyOf(node), [
    ...start,
    "Finished: Service finished successfully",
    "Finished: Bootstrap requested",
    ...[...start, ...run, healthy],
  ]);
});

Deno.test("a service that joins others ends up with a vote", async () => {
  const [one, two] = await madeNodes({
    controlplanes: 2,
    bootstrapped: false,
  });
  assert.ok(one && two);
  startEtcd(two);
  startEtcd(one, fresh);
  const { client } = one.etcd.server;
  await one.etcd.instance?.startup;
  await untilEtcd(two, two.boot.power.signal);
  const members = await client.members();
  assert.deepEqual(members.map(({ name, isLearner }) => [name, isLearner]), [
    ["lab-controlplane-1", false],
    ["lab-controlplane-2", false],
  ]);
});

Deno.test("a service without the snapshot it is to begin with has failed", async () => {
  const [node] = await madeNodes({ bootstrapped: false });
  assert.ok(node);
  startEtcd(node, { recover: true, skipHashCheck: false });
  await node.etcd.instance?.ended;
  assert.equal(
    historyOf(node).at(-1),
    "Failed: Failed to run pre stage: error verifying snapshot: stat /var/lib/etcd.snapshot: no such file or directory",
  );
});

Deno.test("a service begins with the snapshot it was given", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  const { server } = node.etcd;
  await server.upload(server.client.snapshot());
  const before = await server.client.memberId();
  await stopEtcd(node);
  await server.wipe();
  startEtcd(node, { recover: true, skipHashCheck: false });
  await node.etcd.instance?.startup;
  assert.notEqual(await server.client.memberId(), before);
  assert.equal(historyOf(node).at(-1), healthy);
});

Deno.test("a member that others have removed waits and is not healthy", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  const id = await two.etcd.server.client.memberId();
  await one.etcd.server.client.remove(id);
  await until(two, () => two.boot.services.get("etcd")?.state === "Waiting");
  assert.equal(
    historyOf(two).at(-1),
    "Waiting: Runner Containerd(etcd) exited without error, going to restart it",
  );
  assert.deepEqual(
    two.boot.services.get("etcd")?.health.message,
    "service not running",
  );
  await stopEtcd(two);
  assert.equal(
    historyOf(two).at(-1),
    "Finished: Service finished successfully",
  );
});

Deno.test("a loss of power ends the server without a word", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  node.boot.power.abort();
  await node.etcd.instance?.ended;
  assert.deepEqual(historyOf(node), [...start, ...run, healthy]);
  assert.equal(node.etcd.server.isRunning(), false);
});

Deno.test("a service that a fault keeps from starting gets no further until it is off", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  await setFault(node, "etcd-stopped");
  startEtcd(node);
  await node.etcd.instance?.startup;
  assert.deepEqual(historyOf(node).slice(8), start);
  await setFault(node, "etcd-stopped", false);
  assert.equal(historyOf(node).at(-1), healthy);
});

Deno.test("who waits for the service says so, and stops with its signal", async () => {
  const [node] = await madeNodes({ bootstrapped: false });
  assert.ok(node);
  let awaited = 0;
  node.etcd.onWait = () => awaited++;
  startEtcd(node);
  const stop = new AbortController();
  const wait = untilEtcd(node, stop.signal);
  assert.equal(awaited, 1);
  stop.abort();
  await wait;
  assert.notEqual(node.boot.services.get("etcd")?.state, "Running");
  await stopEtcd(node);
});

Deno.test("who waits for a service that had an end before waits for what runs since", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  await stopEtcd(node);
  assert.equal(node.boot.services.get("etcd")?.state, "Finished");
  // One that has come to its end, and does not run since, is not waited for.
  await untilEtcd(node, node.boot.power.signal);
  startEtcd(node);
  await untilEtcd(node, node.boot.power.signal);
  assert.equal(historyOf(node).at(-1), healthy);
});

/** What a node says of its member. */
function memberOf({ boot: { resources } }: SimulatedNode): unknown {
  return resources.get(keyOf({ type: "EtcdMembers.etcd", id: "local" }))?.spec;
}

function isHealthy({ boot: { services } }: SimulatedNode): boolean {
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

Deno.test("a result that stays the same is reported once", async () => {
  const [one, , three] = await servingNodes(3);
  assert.ok(one && three);
  const before = historyOf(one);
  await stopEtcd(three);
  const stop = new AbortController();
  let checks = 0;
  const { changes } = one.cluster.etcd.backend;
  const watch = watchHealth(one, stop.signal, () => {
    checks++;
    if (checks < 3) changes.notify();
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
  assert.ok(node.boot.resources.get(pod));
  reportEtcdExit(node);
  assert.equal(
    historyOf(node).at(-1),
    "Running: Health check failed: service not running",
  );
  assert.equal(memberOf(node), undefined);
  assert.equal(node.boot.resources.get(pod), undefined);
});
