import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { takeLeadership } from "../../../simulator/faults/set_fault.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient, withFault, worker } from "../_faults.ts";
import { servingNodes } from "../etcd/_nodes.ts";

Deno.test("a fault that was switched off is over", async () => {
  await withFault("rbac-reader", {}, async (client, cluster) => {
    await assert.rejects(
      client.machine.serviceStart({ id: "kubelet" }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    await cluster.setFault(worker, "rbac-reader", false);
    assert.equal(
      (await client.machine.serviceStart({ id: "kubelet" })).messages.length,
      1,
    );
  });
});

Deno.test("clock-skew and older-version change what a node says of itself", async () => {
  await withFault("clock-skew", { ms: -3_600_000 }, async (client, cluster) => {
    const { messages } = await client.time.time({});
    assert.ok(
      Number(messages[0]!.localtime!.seconds) < Date.now() / 1000 - 3500,
    );
    await cluster.setFault(worker, "older-version", { tag: "v1.10.1" });
    assert.equal(
      (await client.machine.version({})).messages[0]!.version!.tag,
      "v1.10.1",
    );
  });
});

Deno.test("members are listed as the fault says", async () => {
  await withFault("public-address-first", {}, async (_, cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    const members = async () => {
      const seen = [];
      for await (
        const { resource } of client.state.list({
          namespace: "cluster",
          type: "Members.cluster.talos.dev",
        })
      ) {
        seen.push(resource!.spec!.yamlSpec.match(/- (.*)/)![1]);
      }
      return seen;
    };
    assert.deepEqual(await members(), ["10.5.0.2", "203.0.113.7"]);
    await cluster.setFault(worker, "member-missing");
    assert.deepEqual(await members(), ["10.5.0.2"]);
    await cluster.setFault(worker, "member-missing", false);
    await cluster.setFault(worker, "public-address-first", false);
    assert.deepEqual(await members(), ["10.5.0.2", "10.5.0.3"]);
  });
});

Deno.test("etcd-removed has others remove a member, which rejoins when it is off", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    const [first, second] = cluster.nodes;
    const { client } = first!.etcd.server;
    const before = await second!.etcd.server.client.memberId();
    await cluster.setFault("10.5.0.3", "etcd-removed");
    await cluster.settled();
    assert.equal((await client.members()).length, 2);
    const { state, events } = second!.boot.services.get("etcd")!;
    assert.deepEqual([state, events.at(-1)!.message], [
      "Waiting",
      "Runner Containerd(etcd) exited without error, going to restart it",
    ]);
    await cluster.reboot("10.5.0.3");
    assert.equal(second!.boot.ready, false);
    await cluster.setFault("10.5.0.3", "etcd-removed", false);
    await cluster.settled();
    assert.equal(second!.boot.ready, true);
    assert.notEqual(await second!.etcd.server.client.memberId(), before);
  });
});

Deno.test("etcd-data-lost has the next boot rejoin, once", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    const { client } = cluster.nodes[1]!.etcd.server;
    const before = await client.memberId();
    await cluster.setFault("10.5.0.3", "etcd-data-lost", { calls: 1 });
    await cluster.reboot("10.5.0.3");
    const after = await client.memberId();
    assert.notEqual(after, before);
    assert.equal((await client.members()).length, 3);
    await cluster.reboot("10.5.0.3");
    assert.equal(await client.memberId(), after);
  });
});

Deno.test("etcd-learner has a member without a vote until it is off", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    const { client } = cluster.nodes[0]!.etcd.server;
    const learners = async () =>
      (await client.members()).filter(({ isLearner }) => isLearner)
        .map(({ name }) => name);
    await cluster.setFault("10.5.0.4", "etcd-learner");
    await cluster.settled();
    assert.deepEqual(await learners(), ["simulated-controlplane-3"]);
    await cluster.setFault("10.5.0.4", "etcd-learner", false);
    await cluster.settled();
    assert.deepEqual(await learners(), []);
  });
});

Deno.test("etcd-leads, etcd-corrupt and lease-lost take effect at once", async () => {
  await withCluster({ controlplanes: 3 }, async (cluster) => {
    const { client } = cluster.nodes[2]!.etcd.server;
    await cluster.setFault("10.5.0.4", "etcd-leads");
    const { leader, memberId } = await client.status();
    assert.equal(leader, memberId);
    await cluster.setFault("10.5.0.4", "etcd-leads", false);
    await cluster.setFault("10.5.0.4", "etcd-corrupt");
    assert.deepEqual(await client.alarms(), [{ memberId, alarm: "CORRUPT" }]);
    await cluster.setFault("10.5.0.4", "etcd-corrupt", false);
    assert.deepEqual(await client.alarms(), []);
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
    const { request } = cluster.kubernetes;
    const body = { metadata: { name: "lock" }, spec: {} };
    request({ method: "POST", path, body });
    await cluster.setFault("10.5.0.2", "lease-lost");
    await cluster.setFault("10.5.0.2", "lease-lost", false);
    const lease = request({ method: "GET", path: `${path}/lock` });
    assert.match(JSON.stringify(lease.body), /"holderIdentity":"elsewhere"/);
  });
});

Deno.test("without the discovery service a node lists itself only, and no other lists it", async () => {
  await withFault("discovery-down", {}, async (client, cluster) => {
    using other = openClient(cluster, "10.5.0.2");
    const members = async ({ state }: typeof client) => {
      const list = state.list({
        namespace: "cluster",
        type: "Members.cluster.talos.dev",
      });
      const seen = await Array.fromAsync(list);
      return seen.map(({ resource }) =>
        resource!.spec!.yamlSpec.match(/- (.*)/)![1]
      );
    };
    assert.deepEqual(await members(client), ["10.5.0.3"]);
    assert.deepEqual(await members(other), ["10.5.0.2"]);
    await cluster.setFault(worker, "discovery-down", false);
    assert.deepEqual(await members(client), ["10.5.0.2", "10.5.0.3"]);
  });
});

Deno.test("the leader gives its place to the member that is to have it, once", async () => {
  const [first, second] = await servingNodes(2);
  const { client } = second!.etcd.server;
  const own = await client.memberId();
  await takeLeadership(second!);
  const { leader, raftTerm } = await client.status();
  assert.equal(leader, own);
  await takeLeadership(second!);
  assert.equal((await client.status()).raftTerm, raftTerm);
  await takeLeadership(first!);
  assert.notEqual((await client.status()).leader, own);
});
