import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { TaskEvent } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

function clientOf(
  { endpoints, adminIdentity: identity }: RunningCluster,
  node?: string,
) {
  const metadata = node ? { node: [node] } : {};
  return testClient({ endpoint: endpoints[0]!, identity, metadata });
}

Deno.test("Reboot answers at once, ends streams of events, and comes back as a new boot", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const [, worker] = cluster.nodes;
    using client = clientOf(cluster, "10.5.0.3");
    const before = worker!.boot.id;
    let actor = "";
    const tasks: string[] = [];
    for await (const { data, actorId } of client.machine.events({})) {
      if (actor === "") {
        const { messages } = await client.machine.reboot({});
        actor = messages[0]!.actorId;
      }
      if (data?.typeUrl !== "talos/runtime/machine.TaskEvent") continue;
      assert.equal(actorId, actor);
      tasks.push(TaskEvent.decode(data.value).task);
    }
    assert.ok(tasks.includes("stopAllServices"));
    await cluster.settled();
    assert.notEqual(worker!.boot.id, before);
    const { messages } = await client.machine.hostname({});
    assert.equal(messages[0]!.hostname, "simulated-worker-1");
    let isFirst = true;
    for await (const { bytes } of client.machine.dmesg({})) {
      if (isFirst) {
        assert.match(new TextDecoder().decode(bytes), /Linux version/);
      }
      isFirst = false;
    }
  });
});

Deno.test("a stream of bytes breaks when its node goes down", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    const stream = client.machine.logs({
      namespace: "system",
      id: "apid",
      follow: true,
      tailLines: -1,
    });
    await assert.rejects(async () => {
      for await (const _ of stream) await client.machine.reboot({ mode: 2 });
    }, new RpcError("UNAVAILABLE", "error reading from server: EOF"));
    await cluster.settled();
  });
});

Deno.test("the endpoint's own reboot breaks its connections", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster);
    const stream = client.machine.logs({
      namespace: "system",
      id: "apid",
      follow: true,
      tailLines: -1,
    });
    await assert.rejects(async () => {
      for await (const _ of stream) await client.machine.reboot({ mode: 2 });
    }, { code: "UNAVAILABLE" });
    await cluster.settled();
  });
});

Deno.test("Shutdown leaves a node that nobody reaches", async () => {
  await withCluster({ workers: 1, pace: { stopMs: 0 } }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    await client.machine.shutdown({});
    await cluster.settled();
    await assert.rejects(
      client.machine.hostname({}),
      new RpcError(
        "UNAVAILABLE",
        'connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.3:50000: connect: connection refused"',
      ),
    );
  });
});

Deno.test("Shutdown with force drains nothing, and either ends what the node is doing", async () => {
  for (const force of [false, true]) {
    await withCluster({ workers: 1, pace: { stopMs: 0 } }, async (cluster) => {
      const [, worker] = cluster.nodes;
      const { boot: { events } } = worker!;
      using client = clientOf(cluster, "10.5.0.3");
      await cluster.setFault("10.5.0.3", "never-reboots", { calls: 1 });
      await client.machine.reboot({});
      await client.machine.shutdown({ force });
      await cluster.settled();
      assert.equal(worker!.boot.reachable, false);
      const tasks: string[] = [];
      for (let at = 0; at < events.end(); at++) {
        const { typeUrl, payload } = events.at(at);
        if (!typeUrl.endsWith(".TaskEvent")) continue;
        tasks.push(TaskEvent.decode(payload()).task);
      }
      assert.equal(tasks.includes("cordonAndDrainNode"), !force);
    });
  }
});

Deno.test("nodes before v1.12 know no forced reboot, and take it for another", async () => {
  const options = { workers: 1, release: { tag: "v1.11.5" } };
  await withCluster(options, async (cluster) => {
    const { boot: { events } } = cluster.nodes[1]!;
    using client = clientOf(cluster, "10.5.0.3");
    await client.machine.reboot({ mode: 2 });
    await cluster.settled();
    const tasks = new Set<string>();
    for (let at = 0; at < events.end(); at++) {
      const { typeUrl, payload } = events.at(at);
      if (typeUrl.endsWith(".TaskEvent")) {
        tasks.add(TaskEvent.decode(payload()).task);
      }
    }
    assert.ok(tasks.has("stopAllPods"));
  });
});
