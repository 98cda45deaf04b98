import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { withCluster } from "../../_cluster.ts";
import { clientOf } from "../_faults.ts";

const dialRefused =
  'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.2:2379: connect: connection refused"';

Deno.test("EtcdMemberList shows names and URLs, from any control plane", async () => {
  await withCluster({ name: "lab", controlplanes: 3 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    const { messages: [list] } = await client.machine.etcdMemberList({});
    const own = await client.machine.etcdMemberList({ queryLocal: true });
    assert.deepEqual(own.messages[0]?.members, list!.members);
    const names = [1, 2, 3].map((number) => `lab-controlplane-${number}`);
    assert.deepEqual([...list!.legacyMembers].sort(), names);
    const second = list!.members.find((one) => one.hostname === names[1]);
    assert.deepEqual({ ...second, id: 0n }, {
      id: 0n,
      hostname: "lab-controlplane-2",
      peerUrls: ["https://10.5.0.3:2380"],
      clientUrls: ["https://10.5.0.3:2379"],
      isLearner: false,
    });
  });
});

Deno.test("EtcdStatus agrees on the leader and knows its own member", async () => {
  const options = { controlplanes: 3, release: { etcd: "v3.5.21" } };
  await withCluster(options, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.4");
    using other = clientOf(cluster, "10.5.0.2");
    const { messages: [one] } = await client.machine.etcdStatus({});
    const { messages: [two] } = await other.machine.etcdStatus({});
    const { messages: [list] } = await client.machine.etcdMemberList({});
    const self = list!.members.find(({ hostname }) =>
      hostname === "simulated-controlplane-3"
    );
    assert.equal(one!.memberStatus?.memberId, self?.id);
    assert.notEqual(two!.memberStatus?.memberId, self?.id);
    assert.notEqual(one!.memberStatus?.leader, 0n);
    assert.equal(one!.memberStatus?.leader, two!.memberStatus?.leader);
    assert.deepEqual(
      [
        one!.memberStatus?.protocolVersion,
        one!.memberStatus?.storageVersion,
        one!.memberStatus?.isLearner,
        one!.memberStatus?.errors,
      ],
      ["3.5.21", "3.5.0", false, []],
    );
  });
});

Deno.test("alarms are listed and disarmed, and defragmentation gives space back", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const { machine } = client;
    const before = await machine.etcdStatus({});
    const { memberId, dbSize, dbSizeInUse } = before.messages[0]!.memberStatus!;
    await cluster.setFault("10.5.0.2", "etcd-nospace");
    const expected = [{ memberId, alarm: 1 }];
    const listed = await machine.etcdAlarmList({});
    assert.deepEqual(listed.messages[0]?.memberAlarms, expected);
    const cleared = await machine.etcdAlarmDisarm({});
    assert.deepEqual(cleared.messages[0]?.memberAlarms, expected);
    const after = await machine.etcdAlarmList({});
    assert.deepEqual(after.messages[0]?.memberAlarms, []);
    assert.ok(dbSize > dbSizeInUse);
    await machine.etcdDefragment({});
    const { messages } = await machine.etcdStatus({});
    assert.equal(
      messages[0]!.memberStatus!.dbSize,
      messages[0]!.memberStatus!.dbSizeInUse,
    );
  });
});

Deno.test("only the leader passes its leadership on", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const { members } = (await client.machine.etcdMemberList({})).messages[0]!;
    const { leader } = (await client.machine.etcdStatus({})).messages[0]!
      .memberStatus!;
    const { hostname } = members.find(({ id }) => id === leader)!;
    const node = cluster.nodes.find((one) =>
      one.identity.hostname === hostname
    )!;
    using of = clientOf(cluster, node.identity.address);
    const given = await of.machine.etcdForfeitLeadership({});
    const next = members.find(({ id }) => id !== leader)!;
    assert.equal(given.messages[0]?.member, next.hostname);
    const now = await client.machine.etcdStatus({});
    assert.equal(now.messages[0]!.memberStatus!.leader, next.id);
    const again = await of.machine.etcdForfeitLeadership({});
    assert.equal(again.messages[0]?.member, "");
  });
});

Deno.test("the only member cannot pass its leadership on", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    await assert.rejects(
      client.machine.etcdForfeitLeadership({}),
      new RpcError(
        "UNKNOWN",
        "failed to forfeit leadership: cannot forfeit leadership, only one member",
      ),
    );
  });
});

Deno.test("a member is removed by its identity, and a second time it is not found", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const third = await cluster.nodes[2]!.etcd.server.client.memberId();
    await client.machine.etcdRemoveMemberByID({ memberId: third });
    const { messages } = await client.machine.etcdMemberList({});
    assert.equal(messages[0]?.members.some(({ id }) => id === third), false);
    await assert.rejects(
      client.machine.etcdRemoveMemberByID({ memberId: third }),
      new RpcError(
        "NOT_FOUND",
        `failed to remove member ${third}: etcdserver: member not found`,
      ),
    );
  });
});

Deno.test("a member that too few others would stay without is not removed", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const second = await cluster.nodes[1]!.etcd.server.client.memberId();
    await cluster.setFault("10.5.0.4", "etcd-stopped");
    await assert.rejects(
      client.machine.etcdRemoveMemberByID({ memberId: second }),
      new RpcError(
        "UNKNOWN",
        `failed to remove member: failed to remove member ${second}: etcdserver: unhealthy cluster`,
      ),
    );
  });
});

Deno.test("a node that leaves is no member any more and has no data", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    const { server } = cluster.nodes[2]!.etcd;
    using client = clientOf(cluster, "10.5.0.4");
    await client.machine.etcdLeaveCluster({});
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      false,
    ]);
    const members = await cluster.nodes[0]!.etcd.server.client.members();
    assert.deepEqual(members.map(({ name }) => name).sort(), [
      "simulated-controlplane-1",
      "simulated-controlplane-2",
    ]);
  });
});

Deno.test("a snapshot is the database with its SHA-256 sum behind", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const { bytes } of client.machine.etcdSnapshot({})) {
      assert.ok(bytes.length <= 1024);
      parts.push(bytes.slice());
    }
    const all = await new Blob(parts).bytes();
    const sum = await crypto.subtle.digest("SHA-256", all.subarray(0, -32));
    assert.equal(all.length % 512, 32);
    assert.equal(all.subarray(-32).toHex(), new Uint8Array(sum).toHex());
  });
});

Deno.test("while etcd does not run its node says so, with what it was to do", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const { machine } = client;
    await cluster.setFault("10.5.0.2", "etcd-stopped");
    for (
      const [call, text] of [
        [machine.etcdStatus, "failed to query etcd status"],
        [machine.etcdAlarmList, "failed to list etcd alarms"],
        [machine.etcdAlarmDisarm, "failed to disarm etcd alarm"],
        [machine.etcdDefragment, "failed to defragment etcd"],
      ] as const
    ) {
      await assert.rejects(
        call({}),
        new RpcError("UNAVAILABLE", `${text}: ${dialRefused}`),
      );
    }
  });
});

Deno.test("a worker has no etcd to ask", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    const { machine } = client;
    const memberId = 1n;
    for (
      const [answer, api] of [
        [machine.etcdMemberList({}), "member list"],
        [machine.etcdStatus({}), "etcd status"],
        [machine.etcdAlarmList({}), "etcd alarm list"],
        [machine.etcdAlarmDisarm({}), "etcd alarm list"],
        [machine.etcdDefragment({}), "etcd defragment"],
        [machine.etcdForfeitLeadership({}), "etcd forfeit leadership"],
        [machine.etcdLeaveCluster({}), "etcd leave"],
        [machine.etcdRemoveMemberByID({ memberId }), "etcd remove member"],
        [Array.fromAsync(machine.etcdSnapshot({})), "etcd snapshot"],
      ] as const
    ) {
      await assert.rejects(
        answer,
        new RpcError(
          "UNIMPLEMENTED",
          `${api} is only available on control plane nodes`,
        ),
      );
    }
  });
});

const release = { etcd: "v3.6.11" };

Deno.test("a downgrade is validated, enabled once, and cancelled once", async () => {
  await withCluster({ release }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const { machine } = client;
    const version = "3.5";
    const validated = await machine.etcdDowngradeValidate({ version });
    const enabled = await machine.etcdDowngradeEnable({ version });
    for (const { messages } of [validated, enabled]) {
      assert.equal(messages[0]?.clusterDowngrade?.clusterVersion, "3.6");
    }
    await assert.rejects(
      machine.etcdDowngradeEnable({ version }),
      new RpcError(
        "UNKNOWN",
        "failed to query etcd status: etcdserver: cluster has a downgrade job in progress",
      ),
    );
    const { messages } = await machine.etcdDowngradeCancel({});
    assert.equal(messages[0]?.clusterDowngrade?.clusterVersion, "3.6");
    await assert.rejects(
      machine.etcdDowngradeCancel({}),
      new RpcError(
        "UNKNOWN",
        "failed to query etcd status: etcdserver: no inflight downgrade job",
      ),
    );
  });
});

Deno.test("the node checks versions before etcd sees them", async () => {
  await withCluster({ release }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    for (
      const [version, text] of [
        ["", "version is required for etcd downgrade"],
        ["3.5.0", "version should be in MAJOR.MINOR format"],
        ["3", "version should be in MAJOR.MINOR format"],
        ["v3.5", "major version should be a number"],
        ["3.x", "minor version should be a number"],
        ["3.", "minor version should be a number"],
        ["3.4", "etcd downgrade is only supported to 3.5 and later versions"],
        ["2.9", "etcd downgrade is only supported to 3.5 and later versions"],
      ] as const
    ) {
      await assert.rejects(
        client.machine.etcdDowngradeValidate({ version }),
        new RpcError("INVALID_ARGUMENT", text),
        version,
      );
    }
    // This one passes the node, and etcd refuses it.
    await assert.rejects(
      client.machine.etcdDowngradeEnable({ version: "4.0" }),
      new RpcError(
        "UNKNOWN",
        "failed to query etcd status: etcdserver: invalid downgrade target version",
      ),
    );
  });
});

Deno.test("a worker names all three downgrades alike", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    await assert.rejects(
      client.machine.etcdDowngradeValidate({ version: "" }),
      new RpcError(
        "UNIMPLEMENTED",
        "etcd downgrade cancel is only available on control plane nodes",
      ),
    );
  });
});
