import assert from "node:assert/strict";
import { memberIdText } from "../../../simulator/etcd/database.ts";
import { startEtcd, stopEtcd } from "../../../simulator/etcd/etcd_service.ts";
import {
  checkUpgrade,
  forfeitLeadership,
  leaveCluster,
  leaveForReset,
  removeByOthers,
  wipeEtcd,
} from "../../../simulator/etcd/leave.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { makeNodes } from "../_node.ts";
import { serviceHistory, servingNodes, until } from "./_nodes.ts";

const { signal } = new AbortController();

async function namesIn({ etcd }: SimulatedNode): Promise<readonly string[]> {
  const members = await etcd.server.client.members();
  return members.map(({ name }) => name);
}

Deno.test("a node that leaves is removed, stopped and wiped", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await leaveCluster(one, signal);
  assert.deepEqual(await namesIn(two), [
    "lab-controlplane-2",
    "lab-controlplane-3",
  ]);
  assert.equal(
    serviceHistory(one).at(-1),
    "Finished: Service finished successfully",
  );
  assert.equal(await one.etcd.server.hasData(), false);
});

Deno.test("the last member does not leave", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  const id = await node.etcd.server.client.memberId();
  const why =
    "etcdserver: re-configuration failed due to not enough started members";
  await assert.rejects(leaveCluster(node, signal), {
    name: "EtcdError",
    message: `failed to remove member ${id}: ${why}`,
  });
  assert.equal(node.etcd.server.isRunning(), true);
});

Deno.test("a member leaves once enough others run again", async () => {
  const [one, two, three] = await servingNodes(3);
  assert.ok(one && two && three);
  await stopEtcd(three);
  // With two of three etcd lets none of those go; asked again, it has three.
  const { server } = two.etcd;
  const { sleep } = two.clock;
  let isFirst = true;
  const clock = {
    ...two.clock,
    async sleep(ms: number, signal?: AbortSignal) {
      assert.equal(ms, 10_000);
      if (isFirst) startEtcd(three);
      isFirst = false;
      await three.etcd.instance?.startup;
      await sleep(ms, signal);
    },
  };
  await leaveCluster({ ...two, clock }, signal);
  assert.equal(isFirst, false);
  assert.equal(await server.hasData(), false);
  assert.deepEqual(await namesIn(one), [
    "lab-controlplane-1",
    "lab-controlplane-3",
  ]);
});

Deno.test("a member stops asking after five minutes without enough others", async () => {
  const [, two, three] = await servingNodes(3);
  assert.ok(two && three);
  await stopEtcd(three);
  const waits: number[] = [];
  const clock = {
    ...two.clock,
    sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  const id = await two.etcd.server.client.memberId();
  await assert.rejects(leaveCluster({ ...two, clock }, signal), {
    message: `failed to remove member ${id}: etcdserver: unhealthy cluster`,
  });
  assert.deepEqual(waits, Array(30).fill(10_000));
});

Deno.test("a node that does not know its member waits for three minutes", async () => {
  const [node] = await makeNodes();
  assert.ok(node);
  const waits: number[] = [];
  const clock = {
    ...node.clock,
    sleep: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  await assert.rejects(leaveCluster({ ...node, clock }, signal), {
    name: "EtcdError",
    message: "failed to get local etcd member ID: context deadline exceeded",
  });
  assert.deepEqual(waits, [180_000]);
});

Deno.test("a member that others remove cannot run any more", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await removeByOthers(two);
  await until(two, () => two.boot.services.get("etcd")?.state === "Waiting");
  assert.deepEqual(await namesIn(one), [
    "lab-controlplane-1",
    "lab-controlplane-3",
  ]);
  assert.equal(await two.etcd.server.hasData(), true);
});

Deno.test("a member that is removed already needs no second time", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  const { client } = one.etcd.server;
  const removed = client.remove(await two.etcd.server.client.memberId());
  await Promise.all([removed, removeByOthers(two)]);
  assert.equal((await client.members()).length, 2);
});

Deno.test("leave: refusals of other members are passed on", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  const id = await node.etcd.server.client.memberId();
  const why =
    "etcdserver: re-configuration failed due to not enough started members";
  await assert.rejects(removeByOthers(node), {
    name: "RpcError",
    code: "UNKNOWN",
    message: `failed to remove member ${id}: ${why}`,
  });
});

Deno.test("the leader gives its leadership to another member", async () => {
  const [one, two, three] = await servingNodes(3);
  assert.ok(one && two && three);
  const { leader } = await one.etcd.server.client.status();
  const ids = await Promise.all(
    [one, two, three].map(({ etcd }) => etcd.server.client.memberId()),
  );
  assert.equal(leader, ids[0]);
  assert.equal(await forfeitLeadership(one, signal), "lab-controlplane-2");
  assert.equal((await one.etcd.server.client.status()).leader, ids[1]);
  assert.equal(await forfeitLeadership(one, signal), "");
  assert.equal((await one.etcd.server.client.status()).leader, ids[1]);
});

Deno.test("the only member keeps its leadership", async () => {
  const [node] = await servingNodes(1);
  assert.ok(node);
  await assert.rejects(forfeitLeadership(node, signal), {
    name: "RpcError",
    code: "UNKNOWN",
    message:
      "failed to forfeit leadership: cannot forfeit leadership, only one member",
  });
});

Deno.test("a leadership is not given to a member that does not run", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await stopEtcd(two);
  await assert.rejects(forfeitLeadership(one, signal), {
    code: "UNKNOWN",
    message: "failed to forfeit leadership: etcdserver: request timed out",
  });
});

function client({ etcd }: SimulatedNode) {
  return etcd.server.client;
}

Deno.test("an upgrade is let through when all members are well", async () => {
  const [alone] = await servingNodes(1);
  assert.ok(alone);
  await checkUpgrade(alone);
  const [one] = await servingNodes(3);
  assert.ok(one);
  await checkUpgrade(one);
});

Deno.test("an upgrade of one of two members is refused", async () => {
  const [one] = await servingNodes(2);
  assert.ok(one);
  await assert.rejects(checkUpgrade(one), {
    message:
      "etcd member count(2) is insufficient to maintain quorum if upgrade commences",
  });
});

Deno.test("an upgrade is refused while a member does not run", async () => {
  const [one, , three] = await servingNodes(3);
  assert.ok(one && three);
  const id = memberIdText(await client(three).memberId());
  await stopEtcd(three);
  await assert.rejects(checkUpgrade(one), {
    message:
      `etcd member ${id} is not healthy; all members must be healthy to perform an upgrade: connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.4:2379: connect: connection refused"`,
  });
});

Deno.test("an upgrade is refused while a member was never started", async () => {
  const [one] = await servingNodes(2);
  assert.ok(one);
  const id = await client(one).addLearner("https://10.5.0.9:2380");
  await assert.rejects(checkUpgrade(one), {
    message: `etcd member ${
      memberIdText(id)
    } is not started, all members must be running to perform an upgrade`,
  });
});

Deno.test("hooks are no work on a worker, nor where there is no data", async () => {
  const [controlplane, worker] = await makeNodes({ workers: 1 });
  assert.ok(controlplane && worker);
  await checkUpgrade(worker);
  await leaveForReset(worker);
  await leaveForReset(controlplane);
  await wipeEtcd(controlplane);
});

Deno.test("a node that leaves is no member any more, and has no data", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await leaveForReset(two);
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
  await leaveForReset(two);
  assert.equal((await client(one).members()).length, 3);
});

Deno.test("data that is wiped leaves the member on the lists", async () => {
  const [one, two] = await servingNodes(3);
  assert.ok(one && two);
  await stopEtcd(two);
  await wipeEtcd(two);
  assert.equal(await two.etcd.server.hasData(), false);
  assert.equal((await client(one).members()).length, 3);
});

Deno.test("wiping the data ends what kept etcd from running", async () => {
  const [node] = await makeNodes({});
  assert.ok(node);
  await setFault(node, "etcd-stopped");
  await wipeEtcd(node);
  assert.deepEqual([...node.faults.keys()], []);
});
