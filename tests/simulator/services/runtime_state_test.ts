import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { ContainerDriver as Driver } from "../../../transport/gen/common.ts";
import { NetstatRequest_Filter as Filter } from "../../../transport/gen/machine_system.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { openClient, worker } from "../_faults.ts";

Deno.test("Containers and Stats tell of the same containers", async () => {
  await withCluster({}, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    for (
      const request of [{ namespace: "system", driver: 0 }, {
        namespace: "k8s.io",
        driver: 1,
      }] as const
    ) {
      const { messages: [containers] } = await client.machine.containers(
        request,
      );
      const { messages: [stats] } = await client.machine.stats(request);
      const ids = containers!.containers.map(({ id }) => id);
      assert.deepEqual(stats!.stats.map(({ id }) => id), ids);
      assert.ok(ids.length > 0);
      assert.ok(
        containers!.containers.every(({ namespace }) =>
          namespace === request.namespace
        ),
      );
    }
    await assert.rejects(
      client.machine.containers({ namespace: "system", driver: 1 }),
      new RpcError(
        "UNKNOWN",
        "CRI inspector is supported only for K8s namespace",
      ),
    );
  });
});

Deno.test("Netstat lists the sockets of the protocols, states and networks that are requested, with processes on request", async () => {
  await withCluster({}, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    const list = async (
      request: Parameters<typeof client.machine.netstat>[0],
    ) => {
      const { messages: [reply] } = await client.machine.netstat({
        l4proto: { tcp: true },
        netns: { hostnetwork: true },
        ...request,
      });
      return reply!.connectrecord.map((
        { l4proto, localport, remoteport, netns, process },
      ) =>
        `${l4proto} ${localport} ${remoteport} ${netns} ${process?.name ?? ""}`
          .trim()
      );
    };
    const pods = await list({
      l4proto: { udp6: true },
      netns: { allnetns: true },
    });
    const udp = { l4proto: { udp: true }, feature: { pid: true } };
    assert.deepEqual(
      {
        listening: await list({ filter: Filter.LISTENING }),
        udp: await list(udp),
        connected: await list({ ...udp, filter: Filter.CONNECTED }),
        raw: await list({ l4proto: { raw6: true } }),
        pods: pods.map((socket) => socket.replace(/ cni-[0-9a-f-]{36}$/, "")),
        other: await list({ netns: { netns: ["missing"] } }),
        none: await list({ l4proto: undefined }),
      },
      {
        listening: [53, 7445, 10248, 10249, 2379, 2379, 2380, 10257, 10259]
          .map((port) => `tcp ${port} 0`),
        udp: ["udp 53 0  init", "udp 8472 0", "udp 41217 123  init"],
        connected: ["udp 41217 123  init"],
        raw: ["raw6 58 0"],
        pods: ["udp6 53 0", "udp6 53 0"],
        other: [],
        none: [],
      },
    );
  });
});

const kubernetes = { namespace: "k8s.io", driver: Driver.CRI };

async function readServiceId(client: NodeClient, name: string) {
  const { messages } = await client.machine.containers(kubernetes);
  const { id, pid } = messages[0]!.containers.find((one) => one.name === name)!;
  return { id, pid };
}

Deno.test("Restart replaces a container by another of the same pod", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = openClient(cluster);
    const before = await readServiceId(client, "kube-proxy");
    const request = { ...kubernetes, id: before.id };
    assert.equal((await client.machine.restart(request)).messages.length, 1);
    const after = await readServiceId(client, "kube-proxy");
    assert.notEqual(after.id, before.id);
    assert.notEqual(after.pid, before.pid);
    assert.equal(after.id.split(":")[0], before.id.split(":")[0]);
    await assert.rejects(
      client.machine.restart(request),
      new RpcError("UNKNOWN", `container "${before.id}" not found`),
    );
    await cluster.reboot(worker);
    assert.equal((await readServiceId(client, "kube-proxy")).id, before.id);
  });
});

Deno.test("Restart knows a container without or with a part of its id, and the sandbox of a pod", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = openClient(cluster);
    const pids = async () => {
      const { messages } = await client.machine.containers(kubernetes);
      return messages[0]!.containers
        .filter(({ podId }) => podId.startsWith("kube-system/kube-proxy-"))
        .map(({ pid }) => pid);
    };
    const { id } = await readServiceId(client, "kube-proxy");
    const [namespacedPod = "", container, hash = ""] = id.split(":");
    const [sandbox = 0, proxy = 0] = await pids();
    const restart = (id: string) =>
      client.machine.restart({ ...kubernetes, id });
    await restart(`${namespacedPod}:${container}:${hash.slice(3, 8)}`);
    assert.deepEqual(await pids(), [sandbox, proxy + 1]);
    await restart(`${namespacedPod}:${container}`);
    assert.deepEqual(await pids(), [sandbox, proxy + 2]);
    await restart(namespacedPod);
    assert.deepEqual(await pids(), [sandbox + 1, proxy + 3]);
  });
});
