import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { systemClock } from "../../simulator/clock/clock.ts";
import type {
  ClusterOptions,
  RunningCluster,
} from "../../simulator/cluster/cluster.ts";
import { withCluster } from "../_cluster.ts";
import { backends, realEtcd, realNeeds, withEtcdctl } from "../_etcd.ts";
import { needs } from "../_needs.ts";
import { type TestClient, testClient } from "../simulator/_client.ts";
import { pause } from "../../lib/pause.ts";
import { minor } from "../_version.ts";

/** Tests with both kinds of etcd; three control planes by default. */
function testBoth(
  name: string,
  test: (cluster: RunningCluster) => Promise<void>,
  options: ClusterOptions = {},
): void {
  for (const { name: kind, etcd, wants } of backends) {
    Deno.test({
      name: `${name} (${kind})`,
      ...needs(...wants),
      fn: () => withCluster({ controlplanes: 3, ...options, etcd }, test),
    });
  }
}

/** A client of one node. */
function openClient(cluster: RunningCluster, index: number): TestClient {
  const { address } = cluster.nodes[index]!.identity;
  return testClient({
    endpoint: cluster.endpoints[0]!,
    identity: cluster.adminIdentity,
    metadata: { node: [address] },
  });
}

async function readMembers(client: TestClient, queryLocal = true) {
  const { messages } = await client.machine.etcdMemberList({ queryLocal });
  return messages[0]!.members;
}

async function readStatus(client: TestClient) {
  const { messages } = await client.machine.etcdStatus({});
  return messages[0]!.memberStatus!;
}

/** Asks again while members elect a leader, which takes seconds on a machine that is busy. */
async function led<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isElecting = error instanceof RpcError &&
        error.message.includes("etcdserver: no leader");
      if (!isElecting) throw error;
    }
    await pause(100, new AbortController().signal);
  }
}

function etcdService({ nodes }: RunningCluster, index: number) {
  const { state, health } = nodes[index]!.boot.services.get("etcd")!;
  return [state, health.healthy];
}

/** Index of the node whose member leads. */
async function findLeader(cluster: RunningCluster): Promise<number> {
  using client = openClient(cluster, 0);
  const { leader } = await readStatus(client);
  const members = await readMembers(client);
  const { hostname } = members.find(({ id }) => id === leader)!;
  return cluster.nodes.findIndex(({ identity }) =>
    identity.hostname === hostname
  );
}

testBoth("members list each other and agree on a leader", async (cluster) => {
  using first = openClient(cluster, 0);
  using second = openClient(cluster, 1);
  const members = await readMembers(first);
  assert.deepEqual(await readMembers(second), members);
  assert.deepEqual(
    members.map(({ hostname, peerUrls, clientUrls, isLearner }) =>
      [hostname, ...peerUrls, ...clientUrls, isLearner].join(" ")
    ).sort(),
    [
      "simulated-controlplane-1 https://10.5.0.2:2380 https://10.5.0.2:2379 false",
      "simulated-controlplane-2 https://10.5.0.3:2380 https://10.5.0.3:2379 false",
      "simulated-controlplane-3 https://10.5.0.4:2380 https://10.5.0.4:2379 false",
    ],
  );
  const [one, two] = [await readStatus(first), await readStatus(second)];
  assert.equal(one.leader, two.leader);
  assert.notEqual(one.memberId, two.memberId);
  assert.deepEqual(one.errors, []);
  assert.match(one.storageVersion, minor < 11 ? /^$/ : /^3\.\d+\.0$/);
  assert.ok(one.dbSize >= one.dbSizeInUse && one.dbSizeInUse > 0n);
  const known = members.find(({ id }) => id === one.memberId);
  assert.equal(known?.hostname, "simulated-controlplane-1");
  const key = {
    namespace: "etcd",
    type: "EtcdMembers.etcd.talos.dev",
    id: "local",
  };
  assert.deepEqual(cluster.nodes[0]!.boot.resources.get(key)?.spec, {
    memberID: one.memberId.toString(16).padStart(16, "0"),
  });
});

testBoth(
  "a leader gives its place to another member, others do nothing",
  async (cluster) => {
    const leader = await findLeader(cluster);
    using other = openClient(cluster, (leader + 1) % 3);
    const kept = await other.machine.etcdForfeitLeadership({});
    assert.equal(kept.messages[0]!.member, "");
    assert.equal(await findLeader(cluster), leader);
    using client = openClient(cluster, leader);
    const { messages } = await client.machine.etcdForfeitLeadership({});
    const next = await findLeader(cluster);
    assert.notEqual(next, leader);
    assert.equal(
      messages[0]!.member,
      cluster.nodes[next]!.identity.hostname,
    );
  },
);

testBoth(
  "an alarm is listed by all members, in their status too, until it is disarmed",
  async (cluster) => {
    await cluster.setFault("10.5.0.3", "etcd-nospace");
    using client = openClient(cluster, 0);
    using second = openClient(cluster, 1);
    const { memberId } = await readStatus(second);
    const alarm = { memberId, alarm: 1 };
    const listed = await client.machine.etcdAlarmList({});
    assert.deepEqual(listed.messages[0]!.memberAlarms, [alarm]);
    assert.deepEqual((await readStatus(client)).errors, [
      `memberID:${memberId} alarm:NOSPACE `,
    ]);
    const disarmed = await client.machine.etcdAlarmDisarm({});
    assert.deepEqual(disarmed.messages[0]!.memberAlarms, [alarm]);
    const after = await second.machine.etcdAlarmList({});
    assert.deepEqual(after.messages[0]!.memberAlarms, []);
  },
);

testBoth(
  "a member that leaves is gone with its data, and joins anew after a reboot",
  async (cluster) => {
    using first = openClient(cluster, 0);
    using second = openClient(cluster, 1);
    const before = await readStatus(second);
    const left = await led(() => second.machine.etcdLeaveCluster({}));
    assert.equal(left.messages.length, 1);
    assert.deepEqual(etcdService(cluster, 1), ["Finished", false]);
    assert.equal(await cluster.nodes[1]!.etcd.server.hasData(), false);
    assert.deepEqual(
      (await led(() => readMembers(first))).map(({ hostname }) => hostname)
        .sort(),
      ["simulated-controlplane-1", "simulated-controlplane-3"],
    );
    await cluster.reboot("10.5.0.3");
    assert.deepEqual(etcdService(cluster, 1), ["Running", true]);
    const after = await readStatus(second);
    assert.equal(after.isLearner, false);
    assert.notEqual(after.memberId, before.memberId);
    assert.equal((await readMembers(first)).length, 3);
  },
);

testBoth("a member that was removed cannot run any more", async (cluster) => {
  using first = openClient(cluster, 0);
  const unknown = first.machine.etcdRemoveMemberByID({ memberId: 123n });
  await assert.rejects(
    unknown,
    new RpcError(
      "NOT_FOUND",
      "failed to remove member 123: etcdserver: member not found",
    ),
  );
  await cluster.setFault("10.5.0.4", "etcd-removed");
  assert.equal((await readMembers(first)).length, 2);
  const ended = cluster.nodes[2]!;
  while (ended.boot.services.get("etcd")!.state === "Running") {
    await ended.boot.events.waitFor(
      ended.boot.events.end(),
      ended.boot.power.signal,
    );
  }
  assert.deepEqual(etcdService(cluster, 2), ["Waiting", false]);
  assert.equal(ended.boot.ready, false);
});

testBoth(
  "a node that reboots keeps its member and its data",
  async (cluster) => {
    using client = openClient(cluster, 2);
    const before = await readStatus(client);
    await cluster.reboot("10.5.0.4");
    const after = await readStatus(client);
    assert.equal(after.memberId, before.memberId);
    assert.ok(after.raftIndex >= before.raftIndex);
    assert.deepEqual(etcdService(cluster, 2), ["Running", true]);
    assert.equal(cluster.nodes[2]!.boot.ready, true);
  },
);

testBoth(
  "without a majority the rest is not healthy, and one more makes it so again",
  async (cluster) => {
    for (const address of ["10.5.0.3", "10.5.0.4"]) {
      await cluster.setFault(address, "etcd-stopped");
    }
    const [first] = cluster.nodes;
    const { boot: { events, power: running, services } } = first!;
    while (services.get("etcd")!.health.healthy) {
      await events.waitFor(events.end(), running.signal);
    }
    assert.equal(first!.boot.ready, false);
    using client = openClient(cluster, 0);
    // The last leader needs a moment to see that nobody follows.
    while (
      !(await readStatus(client)).errors.includes("etcdserver: no leader")
    ) {
      await systemClock.sleep(20);
    }
    await assert.rejects(
      client.machine.etcdRemoveMemberByID({ memberId: 123n }),
      new RpcError(
        "UNKNOWN",
        "failed to remove member: failed to remove member 123: etcdserver: no leader",
      ),
    );
    await cluster.setFault("10.5.0.3", "etcd-stopped", false);
    await cluster.settled();
    assert.deepEqual(etcdService(cluster, 0), ["Running", true]);
    assert.equal((await readMembers(client, false)).length, 3);
  },
);

Deno.test("a member of two that is not told by its node who it is leaves no cluster", async () => {
  // The node waits three minutes for that, and this clock makes them short.
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  await withCluster({ controlplanes: 2, clock }, async (cluster) => {
    await cluster.setFault("10.5.0.3", "etcd-stopped");
    await cluster.settled();
    using client = openClient(cluster, 0);
    await assert.rejects(
      client.machine.etcdLeaveCluster({}),
      new RpcError(
        "UNKNOWN",
        "failed to leave cluster: failed to get local etcd member ID: context deadline exceeded",
      ),
    );
  });
});

Deno.test("the only member neither leaves nor forfeits", async () => {
  await withCluster({}, async (cluster) => {
    using client = openClient(cluster, 0);
    await assert.rejects(
      client.machine.etcdForfeitLeadership({}),
      new RpcError(
        "UNKNOWN",
        "failed to forfeit leadership: cannot forfeit leadership, only one member",
      ),
    );
    await assert.rejects(client.machine.etcdLeaveCluster({}), {
      code: "UNKNOWN",
      message:
        /^failed to leave cluster: failed to remove member \d+: etcdserver: re-configuration failed due to not enough started members$/,
    });
  });
});

Deno.test("workers have no etcd", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = openClient(cluster, 1);
    const { machine } = client;
    const calls = {
      "member list": machine.etcdMemberList({}),
      "etcd status": machine.etcdStatus({}),
      // The node names disarming like listing.
      "etcd alarm list": machine.etcdAlarmDisarm({}),
      "etcd defragment": machine.etcdDefragment({}),
      "etcd forfeit leadership": machine.etcdForfeitLeadership({}),
      "etcd leave": machine.etcdLeaveCluster({}),
      "etcd remove member": machine.etcdRemoveMemberByID({ memberId: 1n }),
      "etcd snapshot": Array.fromAsync(machine.etcdSnapshot({})),
      ...(minor < 11 ? {} : {
        // And all three about downgrades like the last one.
        "etcd downgrade cancel": machine.etcdDowngradeEnable({
          version: "3.5",
        }),
      }),
    };
    for (const [name, call] of Object.entries(calls)) {
      await assert.rejects(
        call,
        new RpcError(
          "UNIMPLEMENTED",
          `${name} is only available on control plane nodes`,
        ),
      );
    }
  });
});

Deno.test({
  name:
    "members with TLS are healthy for etcdctl, and a stranger's certificate is refused",
  ...needs(...realNeeds),
  async fn() {
    await withEtcdctl({ controlplanes: 3 }, async (cluster, etcdctl) => {
      for (const node of cluster.nodes) {
        const health = await etcdctl(node, "endpoint", "health");
        assert.match(health, /is healthy|^$/);
      }
      const [first, second] = cluster.nodes;
      const list = await etcdctl(first!, "member", "list");
      assert.equal(list.match(/started, simulated-controlplane-/g)?.length, 3);
      await etcdctl(first!, "put", "fruit", "pear");
      assert.equal(await etcdctl(second!, "get", "fruit"), "fruit\npear\n");
      await withEtcdctl({}, async (_, strange) => {
        await assert.rejects(strange(first!, "get", "fruit"));
      });
    });
  },
});

Deno.test({
  name:
    "etcd raises the alarm itself when its space is used up, and defragmentation gives it back",
  ...needs(...realNeeds),
  async fn() {
    const args = ["--quota-backend-bytes=1048576"];
    const etcd = { ...realEtcd, args };
    await withEtcdctl({ etcd }, async (cluster, etcdctl) => {
      const [node] = cluster.nodes;
      using client = openClient(cluster, 0);
      const full = (async () => {
        while (true) await etcdctl(node!, "put", "big", "x".repeat(100_000));
      })();
      await assert.rejects(full, /database space exceeded/);
      const { messages } = await client.machine.etcdAlarmList({});
      const { memberId, dbSize, errors } = await readStatus(client);
      assert.deepEqual(messages[0]!.memberAlarms, [{ memberId, alarm: 1 }]);
      assert.equal(errors.length, 1);
      const [head] = JSON.parse(
        await etcdctl(node!, "endpoint", "status", "-w", "json"),
      );
      await etcdctl(node!, "compact", String(head.Status.header.revision));
      await client.machine.etcdDefragment({});
      const after = await readStatus(client);
      assert.ok(after.dbSize < dbSize / 2n, `${after.dbSize} of ${dbSize}`);
      await client.machine.etcdAlarmDisarm({});
      await etcdctl(node!, "put", "big", "small");
    });
  },
});
