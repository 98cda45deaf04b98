import assert from "node:assert/strict";
import { etcdCa } from "../../../simulator/etcd/member_access.ts";
import type { EtcdRun } from "../../../simulator/state/etcd.ts";
import {
  startEtcd,
  stopEtcd,
  untilEtcd,
} from "../../../simulator/etcd/etcd_service.ts";
import {
  initialCluster,
  join,
  makeFounders,
  promote,
} from "../../../simulator/etcd/join.ts";
import {
  createNode,
  type SimulatedNode,
} from "../../../simulator/state/node.ts";
import { madeNodes } from "../_node.ts";
import { fresh } from "./_nodes.ts";

const { signal } = new AbortController();

function noWait(): void {
  assert.fail("there is a member to ask");
}

/** Control planes of which the first one serves. */
async function oneServes(
  controlplanes: number,
): Promise<readonly SimulatedNode[]> {
  const nodes = await madeNodes({ controlplanes, bootstrapped: false });
  const [node] = nodes;
  assert.ok(node);
  startEtcd(node, fresh);
  await node.etcd.instance?.startup;
  return nodes;
}

/** Names of members, with a mark where there is no vote. */
async function namesIn({ etcd }: SimulatedNode): Promise<readonly string[]> {
  const members = await etcd.server.client.members();
  return members.map(({ name, isLearner }) => name + (isLearner ? "?" : ""));
}

/** Starts the server of a node that has joined. */
async function run(node: SimulatedNode): Promise<EtcdRun> {
  return await node.etcd.server.start({
    name: node.identity.hostname,
    issuer: await etcdCa(node),
    initial: { isNew: false, members: [] },
    log() {},
  });
}

Deno.test("a node that joins is a member without a vote", async () => {
  const [one, two] = await oneServes(2);
  assert.ok(one && two);
  const { initial, learner } = await join(two, signal, noWait);
  assert.deepEqual(initial, {
    isNew: false,
    members: [
      { name: "lab-controlplane-1", peerUrl: "https://10.5.0.2:2380" },
      { name: "lab-controlplane-2", peerUrl: "https://10.5.0.3:2380" },
    ],
  });
  const members = await one.etcd.server.client.members();
  assert.deepEqual(members.map(({ id }) => id)[1], learner);
  assert.deepEqual(await namesIn(one), ["lab-controlplane-1", "?"]);
});

Deno.test("a node that lost its data is removed before it joins anew", async () => {
  const [one, two, three] = await oneServes(3);
  assert.ok(one && two && three);
  for (const node of [two, three]) {
    startEtcd(node);
    await untilEtcd(node, node.boot.power.signal);
  }
  const before = await two.etcd.server.client.memberId();
  await stopEtcd(two);
  await two.etcd.server.wipe();
  const { initial, learner } = await join(two, signal, noWait);
  assert.notEqual(learner, before);
  assert.deepEqual(initial.members.map(({ name }) => name), [
    "lab-controlplane-1",
    "lab-controlplane-3",
    "lab-controlplane-2",
  ]);
  assert.deepEqual(await namesIn(one), [
    "lab-controlplane-1",
    "lab-controlplane-3",
    "?",
  ]);
});

Deno.test("a node with no member to ask waits until one serves", async () => {
  const [one, two] = await madeNodes({ controlplanes: 2, bootstrapped: false });
  assert.ok(one && two);
  const waiting = Promise.withResolvers<void>();
  const joined = join(two, signal, waiting.resolve);
  await waiting.promise;
  startEtcd(one, fresh);
  assert.equal((await joined).initial.members.length, 2);
});

Deno.test("a node that is stopped does not join", async () => {
  const [node] = await madeNodes({ bootstrapped: false });
  assert.ok(node);
  const stop = new AbortController();
  await assert.rejects(join(node, stop.signal, () => stop.abort()), {
    name: "EtcdError",
    message: "context canceled",
  });
});

Deno.test("a vote is given once the member runs", async () => {
  const [one, two] = await oneServes(2);
  assert.ok(one && two);
  const { learner } = await join(two, signal, noWait);
  const { changes } = one.cluster.etcd.backend;
  const promoted = promote(two, learner, signal);
  await run(two);
  // Without an election a start is no change, which is why it is reported here.
  changes.notify();
  await promoted;
  assert.deepEqual(await namesIn(one), [
    "lab-controlplane-1",
    "lab-controlplane-2",
  ]);
});

Deno.test("a vote is not asked for where there is no such learner, or no time", async () => {
  const [one, two] = await oneServes(2);
  assert.ok(one && two);
  await promote(two, await one.etcd.server.client.memberId(), signal);
  await promote(two, 9n, signal);
  const { learner } = await join(two, signal, noWait);
  await promote(two, learner, AbortSignal.abort());
  assert.deepEqual(await namesIn(one), ["lab-controlplane-1", "?"]);
});

const notStarted = { bootstrapped: false };

Deno.test("the etcd of a new node does not run and founds nothing", async () => {
  const [node] = await madeNodes();
  const { etcd } = createNode({ ...node!, save: () => Promise.resolve() });
  assert.deepEqual(
    [etcd.server.isRunning(), etcd.foundCluster, etcd.instance],
    [false, undefined, undefined],
  );
  assert.equal(etcd.server.endpoint(), "10.5.0.2:2379");
});

Deno.test("a cluster is started by the nodes under their names and peer URLs", async () => {
  assert.deepEqual(
    await initialCluster(await madeNodes({ controlplanes: 2 })),
    {
      isNew: true,
      members: [
        { name: "lab-controlplane-1", peerUrl: "https://10.5.0.2:2380" },
        { name: "lab-controlplane-2", peerUrl: "https://10.5.0.3:2380" },
      ],
    },
  );
});

Deno.test("founders begin one cluster together, without workers and nodes in maintenance", async () => {
  const nodes = await madeNodes({
    ...notStarted,
    controlplanes: 3,
    workers: 1,
    unconfigured: (index) => index === 1,
  });
  assert.deepEqual(nodes.map(({ etcd }) => etcd.foundCluster), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  makeFounders(nodes);
  const [first, second, third, worker] = await Promise.all(
    nodes.map(({ etcd }) => etcd.foundCluster?.()),
  );
  assert.deepEqual([second, worker], [undefined, undefined]);
  assert.deepEqual(first?.members.map(({ name }) => name), [
    "lab-controlplane-1",
    "lab-controlplane-3",
  ]);
  // It is the same one, not an equal one.
  assert.equal(first, third);
});
