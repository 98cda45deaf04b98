import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { FaultName } from "../../../simulator/state/faults.ts";
import {
  takeLeadership,
  takeLeases,
} from "../../../simulator/faults/set_fault.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { clientOf, handshake, withFault, worker } from "../_faults.ts";
import { servingNodes } from "../etcd/_nodes.ts";
import { apiOf } from "../kubernetes/_api.ts";

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

Deno.test("never-returns leaves a rebooted node off", async () => {
  await withFault("never-returns", {}, async (client, cluster) => {
    await client.machine.reboot({});
    await cluster.settled();
    await assert.rejects(client.machine.version({}), { code: "UNAVAILABLE" });
  });
});

Deno.test("returns-unconfigured ends a reboot in maintenance", async () => {
  await withFault("returns-unconfigured", {}, async (client, cluster) => {
    await client.machine.reboot({});
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.stage, 3);
    await assert.rejects(
      client.machine.version({}),
      /certificate signed by unknown authority/,
    );
  });
});

Deno.test("maintenance-before-boot offers maintenance first, then the installed system", async () => {
  await withFault(
    "maintenance-before-boot",
    { ms: 20 },
    async (client, cluster) => {
      await client.machine.reboot({});
      await cluster.settled();
      assert.equal(cluster.nodes[1]!.boot.stage, 4);
      assert.equal((await client.machine.version({})).messages.length, 1);
    },
  );
});

Deno.test("unavailable refuses connections, forwarded and direct, until it is off", async () => {
  await withFault("unavailable", {}, async (client, cluster) => {
    await assert.rejects(
      client.machine.version({}),
      /connect: connection refused/,
    );
    await assert.rejects(handshake(cluster, worker), { code: "ECONNREFUSED" });
    await cluster.setFault(worker, "unavailable", false);
    assert.equal((await client.machine.version({})).messages.length, 1);
  });
});

Deno.test("vip-moves leads new connections to another node", async () => {
  await withCluster({ controlplanes: 2 }, async (cluster) => {
    await cluster.setFault("10.5.0.2", "vip-moves", { node: "10.5.0.3" });
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    assert.equal(
      (await client.machine.hostname({})).messages[0]!.hostname,
      "simulated-controlplane-2",
    );
    const { names } = await handshake(cluster, "10.5.0.2");
    assert.match(names!, /DNS:simulated-controlplane-2/);
  });
});

Deno.test("the server's certificate is what the fault says", async () => {
  await withCluster({}, async (cluster) => {
    const shown = async (name: FaultName) => {
      await cluster.setFault("10.5.0.2", name);
      const seen = await handshake(cluster, "10.5.0.2");
      await cluster.setFault("10.5.0.2", name, false);
      return seen;
    };
    assert.ok((await shown("server-cert-expired")).to < Date.now());
    assert.ok((await shown("server-cert-not-yet-valid")).from > Date.now());
    assert.match((await shown("not-in-san")).names!, /^DNS:elsewhere$/);
    assert.ok((await shown("server-ca-changed")).error);
    assert.equal((await shown("slow")).error, undefined);
  });
});

Deno.test("client-cert-refused lets no client in", async () => {
  await withCluster({}, async (cluster) => {
    await cluster.setFault("10.5.0.2", "client-cert-refused");
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await assert.rejects(client.machine.version({}), { code: "UNAVAILABLE" });
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
    using client = clientOf(cluster, "10.5.0.2");
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

Deno.test("etcd-stopped stops etcd until it is off", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const etcd = async () => {
      const { messages } = await client.machine.serviceList({});
      const { state, health } = messages[0]!.services.find(({ id }) =>
        id === "etcd"
      )!;
      return [state, health!.healthy];
    };
    await cluster.setFault("10.5.0.2", "etcd-stopped");
    assert.deepEqual(await etcd(), ["Finished", false]);
    await cluster.setFault("10.5.0.2", "etcd-stopped", false);
    assert.deepEqual(await etcd(), ["Running", true]);
  });
});

Deno.test("address-moves gives the node another address, over boots too, until it is off", async () => {
  const fault = "address-moves";
  await withFault(fault, { node: "10.5.0.44" }, async (client, cluster) => {
    await assert.rejects(client.machine.hostname({}), { code: "UNAVAILABLE" });
    using moved = clientOf(cluster, "10.5.0.44");
    await moved.machine.reboot({});
    await cluster.settled();
    await moved.machine.hostname({});
    await cluster.setFault(worker, fault, false);
    await client.machine.hostname({});
    await cluster.setFault(worker, fault);
    using near = clientOf(cluster, "10.5.0.103");
    await near.machine.hostname({});
  });
});

Deno.test("never-reboots accepts a reboot and stays in the old boot", async () => {
  await withFault("never-reboots", {}, async (client, cluster) => {
    const node = cluster.nodes[1]!;
    const { boot: { id: bootId } } = node;
    await client.machine.reboot({});
    await cluster.settled();
    assert.deepEqual([node.boot.id, node.boot.stage], [
      bootId,
      Stage.REBOOTING,
    ]);
    await client.machine.hostname({});
    // A forced reboot waits for nothing.
    await client.machine.reboot({ mode: 2 });
    await cluster.settled();
    assert.notEqual(node.boot.id, bootId);
  });
});

Deno.test("never-returns is for whatever ends with a reboot", async () => {
  await withFault("never-returns", { calls: 2 }, async (client, cluster) => {
    const [, node] = cluster.nodes;
    const image = "ghcr.io/siderolabs/installer:v1.12.99";
    await client.machine.upgrade({ image });
    await cluster.settled();
    assert.equal(node!.boot.reachable, false);
    await assert.rejects(client.machine.hostname({}), { code: "UNAVAILABLE" });
  });
});

Deno.test("etcd-removed has others remove a member, which joins anew when it is off", async () => {
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

Deno.test("etcd-data-lost has the next boot join anew, once", async () => {
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

Deno.test("a fault that etcd refuses is not on", async () => {
  await withCluster({}, async (cluster) => {
    await assert.rejects(cluster.setFault("10.5.0.2", "etcd-removed"), {
      code: "UNKNOWN",
      message: /^failed to remove member \d+: etcdserver: re-configuration/,
    });
    assert.equal(cluster.nodes[0]!.faults.size, 0);
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

Deno.test("call-fails ends a call with a status, and nothing is run", async () => {
  const options = { method: "Reboot", code: "INTERNAL", calls: 1 } as const;
  await withFault("call-fails", options, async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    await assert.rejects(client.machine.reboot({}), { code: "INTERNAL" });
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.id, bootId);
    await client.machine.reboot({});
    await cluster.settled();
    assert.notEqual(cluster.nodes[1]!.boot.id, bootId);
  });
});

Deno.test("registry-down fails pulls as a registry that cannot be reached does", async () => {
  await withFault("registry-down", {}, async (client) => {
    const image = "ghcr.io/siderolabs/installer:v1.12.99";
    await assert.rejects(client.machine.upgrade({ image }), {
      code: "UNKNOWN",
      message: /failed to do request: Head "https:\/\/ghcr.io\/v2\/": dial tcp/,
    });
  });
});

Deno.test("without the discovery service a node lists itself only, and no other lists it", async () => {
  await withFault("discovery-down", {}, async (client, cluster) => {
    using other = clientOf(cluster, "10.5.0.2");
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

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

Deno.test("a lease is renewed by its version, and lost when someone else takes it", async () => {
  const { ask, answer } = await apiOf();
  const created = ask(`POST ${leases}`, {
    metadata: { name: "lock" },
    spec: { holderIdentity: "me", leaseDurationSeconds: 60 },
  });
  const renewed = answer(`PUT ${leases}/lock`, created);
  assert.equal(renewed.code, 200);
  // The version is that of before.
  assert.equal(answer(`PUT ${leases}/lock`, created).code, 409);
  takeLeases({
    request: ({ method, path, body }) => answer(`${method} ${path}`, body),
  }, 1_772_366_400_000);
  assert.deepEqual(ask(`GET ${leases}/lock`).spec, {
    holderIdentity: "elsewhere",
    leaseDurationSeconds: 60,
    acquireTime: "2026-03-01T12:00:00.000000Z",
    renewTime: "2026-03-01T12:00:00.000000Z",
    leaseTransitions: 1,
  });
  assert.equal(answer(`PUT ${leases}/lock`, renewed.body).code, 409);
});
