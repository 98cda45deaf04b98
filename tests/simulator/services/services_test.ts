import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { setHealth } from "../../../simulator/node/system_services.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

function clientOf(
  { endpoints, adminIdentity: identity }: RunningCluster,
  node: string,
) {
  return testClient({
    endpoint: endpoints[0]!,
    identity,
    metadata: { node: [node] },
  });
}

Deno.test("ServiceList shows services sorted, those of control planes only there", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const list = async (node: string) => {
      using client = clientOf(cluster, node);
      const { messages } = await client.machine.serviceList({});
      return messages[0]!.services.map(({ id, state, health }) =>
        `${id} ${state} ${health!.unknown ? "?" : health!.healthy}`
      );
    };
    const worker = [
      "apid Running true",
      "auditd Running true",
      "containerd Running true",
      "cri Running true",
      "dashboard Running ?",
      "kubelet Running true",
      "machined Running true",
      "syslogd Running true",
      "udevd Running true",
    ];
    assert.deepEqual(await list("10.5.0.3"), worker);
    assert.deepEqual(
      await list("10.5.0.2"),
      [...worker, "etcd Running true", "trustd Running true"].sort(),
    );
  });
});

Deno.test("ServiceList shows what happened to a service, newest last", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    setHealth(cluster.nodes[0]!, "kubelet", false, "no answer");
    const { messages } = await client.machine.serviceList({});
    const { events, health } = messages[0]!.services.find(({ id }) =>
      id === "kubelet"
    )!;
    assert.deepEqual(
      events!.events.map(({ state, msg }) => `${state}: ${msg}`),
      [
        "Starting: Starting service",
        'Waiting: Waiting for service "cri" to be "up"',
        "Preparing: Running pre state",
        "Preparing: Creating service runner",
        "Running: Started task kubelet (PID 1922) for container kubelet",
        "Running: Health check successful",
        "Running: Health check failed: no answer",
      ],
    );
    assert.deepEqual([health!.healthy, health!.lastMessage], [
      false,
      "no answer",
    ]);
  });
});

Deno.test("a service does what nodes allow, and nothing else", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const { messages } = await client.machine.serviceRestart({ id: "kubelet" });
    assert.deepEqual(messages[0]!.resp, 'Service "kubelet" restarted');
    const started = await client.machine.serviceStart({ id: "etcd" });
    assert.deepEqual(started.messages[0]!.resp, 'Service "etcd" started');
    await assert.rejects(
      client.machine.serviceStop({ id: "kubelet" }),
      new RpcError(
        "UNKNOWN",
        `service "kubelet" doesn't support stop operation via API`,
      ),
    );
    await assert.rejects(
      client.machine.serviceRestart({ id: "etcd" }),
      new RpcError(
        "UNKNOWN",
        `service "etcd" doesn't support restart operation via API`,
      ),
    );
    await assert.rejects(
      client.machine.serviceStart({ id: "nothing" }),
      new RpcError("UNKNOWN", 'service "nothing" not defined'),
    );
  });
});
