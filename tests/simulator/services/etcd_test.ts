import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient } from "../_faults.ts";

const release = { etcd: "v3.6.11" };

Deno.test("a downgrade is validated, enabled once, and cancelled once", async () => {
  await withCluster({ release }, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
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
    using client = openClient(cluster, "10.5.0.2");
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

Deno.test("while etcd does not run its node answers no call to it; what is still waiting is answered when it runs", async () => {
  await withCluster({}, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    const { machine } = client;
    await cluster.setFault("10.5.0.2", "etcd-stopped");
    let isAnswered = false;
    const reading = Promise.all([
      machine.etcdMemberList({}),
      machine.etcdMemberList({ queryLocal: true }),
      machine.etcdStatus({}),
      machine.etcdAlarmList({}),
      machine.etcdDowngradeValidate({ version: "3.5" }),
      Array.fromAsync(machine.etcdSnapshot({})),
    ]).finally(() => isAnswered = true);
    // Answered after all that were sent before it.
    await machine.serviceList({});
    assert.equal(isAnswered, false);
    await cluster.setFault("10.5.0.2", "etcd-stopped", false);
    const [list] = await reading;
    assert.equal(list.messages[0]?.members.length, 1);
  });
});

Deno.test("while etcd does not run its node changes nothing of it, until the caller has gone", async () => {
  const waiting: Promise<string>[] = [];
  const answered: string[] = [];
  await withCluster({}, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    const { machine } = client;
    await cluster.setFault("10.5.0.2", "etcd-stopped");
    for (
      const call of [
        machine.etcdAlarmDisarm({}),
        machine.etcdDefragment({}),
        machine.etcdForfeitLeadership({}),
        machine.etcdLeaveCluster({}),
        machine.etcdRemoveMemberByID({ memberId: 1n }),
        machine.etcdDowngradeEnable({ version: "3.5" }),
      ]
    ) {
      const end = call.then(() => "answered", ({ message }) => message);
      waiting.push(end);
      end.then((text) => answered.push(text));
    }
    await machine.serviceList({});
    assert.deepEqual(answered, []);
  });
  const ends = await Promise.all(waiting);
  assert.deepEqual(new Set(ends), new Set(["Connection dropped"]));
});
