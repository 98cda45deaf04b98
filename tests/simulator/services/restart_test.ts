import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { ContainerDriver as Driver } from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { clientOf, worker } from "../_faults.ts";

const kubernetes = { namespace: "k8s.io", driver: Driver.CRI };

async function idOf(client: NodeClient, name: string) {
  const { messages } = await client.machine.containers(kubernetes);
  const { id, pid } = messages[0]!.containers.find((one) => one.name === name)!;
  return { id, pid };
}

Deno.test("Restart replaces a container by another of the same pod", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster);
    const before = await idOf(client, "kube-proxy");
    const request = { ...kubernetes, id: before.id };
    assert.equal((await client.machine.restart(request)).messages.length, 1);
    const after = await idOf(client, "kube-proxy");
    assert.notEqual(after.id, before.id);
    assert.notEqual(after.pid, before.pid);
    assert.equal(after.id.split(":")[0], before.id.split(":")[0]);
    await assert.rejects(
      client.machine.restart(request),
      new RpcError("UNKNOWN", `container "${before.id}" not found`),
    );
    await cluster.reboot(worker);
    assert.equal((await idOf(client, "kube-proxy")).id, before.id);
  });
});

Deno.test("Restart of a container of the system restarts its service", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const system = { namespace: "system", driver: Driver.CONTAINERD };
    const pid = async () => {
      const { messages } = await client.machine.containers(system);
      return messages[0]!.containers.find(({ id }) => id === "trustd")!.pid;
    };
    const before = await pid();
    await client.machine.restart({ ...system, id: "trustd" });
    assert.notEqual(await pid(), before);
    const trustd = cluster.nodes[0]!.boot.services.get("trustd")!;
    assert.equal(trustd.state, "Running");
    const states = trustd.events.map(({ state }) => state);
    assert.ok(states.includes("Finished"));
    await client.machine.restart({ ...system, id: "apid" });
    await cluster.settled();
    using later = clientOf(cluster, "10.5.0.2");
    await later.machine.hostname({});
  });
});

Deno.test("Restart refuses what is not there, and readers", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    await assert.rejects(
      client.machine.restart({ ...kubernetes, id: "x" }),
      new RpcError("UNKNOWN", 'container "x" not found'),
    );
    await assert.rejects(
      client.machine.restart({
        namespace: "system",
        driver: Driver.CRI,
        id: "apid",
      }),
      new RpcError(
        "UNKNOWN",
        "CRI inspector is supported only for K8s namespace",
      ),
    );
    const identity = await cluster.identify(["os:reader"]);
    using reader = testClient({ endpoint: cluster.endpoints[0]!, identity });
    await assert.rejects(
      reader.machine.restart({ ...kubernetes, id: "x" }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});
