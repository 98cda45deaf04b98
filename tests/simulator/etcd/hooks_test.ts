import assert from "node:assert/strict";
import { memberIdText } from "../../../simulator/etcd/database.ts";
import { stopEtcd } from "../../../simulator/etcd/etcd_service.ts";
import { etcdHooks } from "../../../simulator/etcd/hooks.ts";
import type { SimulatedNode } from "../../../simulator/node/node.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { madeNodes } from "../_node.ts";
import { servingNodes } from "./_nodes.ts";

function client({ etcd }: SimulatedNode) {
  return etcd.server.client;
}

Deno.test("an upgrade is let through when all members are well", async () => {
  const [alone] = await servingNodes(1);
  assert.ok(alone);
  await etcdHooks(alone).checkUpgrade();
  const [one] = await servingNodes(3);
  assert.ok(one);
  await etcdHooks(one).checkUpgrade();
});

Deno.test("an upgrade of one of two members is refused", async () => {
  const [one] = await servingNodes(2);
  assert.ok(one);
  await assert.rejects(etcdHooks(one).checkUpgrade(), {
    message:
      "etcd member count(2) is insufficient to maintain quorum if upgrade commences",
  });
});

Deno.test("an upgrade is refused while a member does not run", async () => {
  const [one, , three] = await servingNodes(3);
  assert.ok(one && three);
  const id = memberIdText(await client(three).memberId());
  await stopEtcd(three);
  await assert.rejects(etcdHooks(one).checkUpgrade(), {
    message:
      `etcd member ${id} is not healthy; all members must be healthy to perform an upgrade: connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.4:2379: connect: connection refused"`,
  });
});

Deno.test("an upgrade is refused while a member was never started", async () => {
  const [one] = await servingNodes(2);
  assert.ok(one);
  const id = await client(one).addLearner("https://10.5.0.9:2380");
  await assert.rejects(etcdHooks(one).checkUpgrade(), {
    message: `etcd member ${
      memberIdText(id)
    } is not started, all members must be running to perform an upgrade`,
  });
});

Deno.test("hooks are no work on a worker, nor where there is no data", async () => {
  const [controlplane, worker] = await madeNodes({ workers: 1 });
  assert.ok(controlplane && worker);
  await etcdHooks(worker).checkUpgrade();
  await etcdHooks(worker).leave();
  await etcdHooks(controlplane).leave();
  await etcdHooks(controlplane).wipe();
});

Deno.test("a node that leaves is no member any more, and has no data", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await etcdHooks(two).leave();
  const members = await client(one).members();
  assert.deepEqual(members.map(({ name }) => name), [
    "lab-controlplane-1",
    "lab-controlplane-3",
  ]);
  assert.equal(await two.etcd.server.hasData(), false);
});

Deno.test("a node whose service was ended stays a member when it leaves", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await stopEtcd(two);
  await etcdHooks(two).leave();
  assert.equal((await client(one).members()).length, 3);
});

Deno.test("data that is wiped leaves the member on the lists", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await stopEtcd(two);
  await etcdHooks(two).wipe();
  assert.equal(await two.etcd.server.hasData(), false);
  assert.equal((await client(one).members()).length, 3);
});

Deno.test("wiping the data ends what kept etcd from running", async () => {
  const [node] = await madeNodes({});
  assert.ok(node);
  await setFault(node, "etcd-stopped");
  await etcdHooks(node).wipe();
  assert.deepEqual([...node.faults.keys()], []);
});
