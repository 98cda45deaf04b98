import assert from "node:assert/strict";
import {
  startEtcd,
  stopEtcd,
  untilEtcd,
} from "../../../simulator/etcd/etcd_service.ts";
import { join, promote } from "../../../simulator/etcd/join.ts";
import { type SimulatedNode } from "../../../simulator/state/node.ts";
import { makeNodes } from "../_node.ts";
import { fresh } from "./_nodes.ts";

const { signal } = new AbortController();

function noWait(): void {
  assert.fail("there is a member to ask");
}

/** Control planes of which the first one serves. */
async function oneServes(
  controlplanes: number,
): Promise<readonly SimulatedNode[]> {
  const nodes = await makeNodes({ controlplanes, bootstrapped: false });
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

Deno.test("a node that lost its data is removed before it rejoins", async () => {
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

Deno.test("a vote is not asked for where there is no such learner, or no time", async () => {
  const [one, two] = await oneServes(2);
  assert.ok(one && two);
  await promote(two, await one.etcd.server.client.memberId(), signal);
  await promote(two, 9n, signal);
  const { learner } = await join(two, signal, noWait);
  await promote(two, learner, AbortSignal.abort());
  assert.deepEqual(await namesIn(one), ["lab-controlplane-1", "?"]);
});
