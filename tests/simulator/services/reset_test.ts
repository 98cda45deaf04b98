import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { ResetRequest_WipeMode as WipeMode } from "../../../transport/gen/machine.ts";
import {
  MachineStatusEvent_MachineStage as Stage,
  TaskEvent,
} from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { clientOf, worker } from "../_faults.ts";
import { specs } from "../_resources.ts";

function withWorker(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const pace = { stopMs: 10, downMs: 0, installMs: 0, panicMs: 0 };
  const options = { workers: 1, userDisks: 2, pace };
  return withCluster(options, async (cluster) => {
    using client = clientOf(cluster);
    await test(client, cluster);
  });
}

function maintenanceClient({ listening }: RunningCluster) {
  return testClient({ endpoint: listening.get(worker)! });
}

function wiping(...labels: readonly string[]) {
  return labels.map((label) => ({ label, wipe: true }));
}

Deno.test("Reset of everything leaves an empty disk, and the node off", async () => {
  await withWorker(async (client, cluster) => {
    const node = cluster.nodes[1]!;
    await client.machine.metaWrite({ key: 10, value: new Uint8Array([65]) });
    const { messages } = await client.machine.reset({ graceful: true });
    assert.match(messages[0]!.actorId, /^[0-9a-f-]{36}$/);
    await cluster.settled();
    assert.deepEqual(
      [
        node.boot.stage,
        node.boot.reachable,
        node.disk.configured,
        node.disk.bootEntries,
        node.disk.meta.size,
      ],
      [Stage.RESETTING, false, false, undefined, 0],
    );
    assert.deepEqual(node.disk.userDisks, [
      { name: "vdb", partitions: [{ number: 1, filesystem: "xfs" }] },
      { name: "vdc", partitions: [{ number: 1, filesystem: "xfs" }] },
    ]);
  });
});

Deno.test("Reset of everything with a reboot ends in maintenance, of the release of the medium", async () => {
  await withWorker(async (client, cluster) => {
    const image = "ghcr.io/siderolabs/installer:v1.12.99";
    await client.machine.upgrade({ image });
    await cluster.settled();
    await client.machine.reset({ reboot: true });
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.stage, Stage.MAINTENANCE);
    using maintenance = maintenanceClient(cluster);
    assert.deepEqual(await specs(maintenance, "Versions.runtime"), {
      version: { version: "v1.12.11" },
    });
    assert.deepEqual(await specs(maintenance, "SystemDisks.block"), {});
    assert.deepEqual(await specs(maintenance, "BootedEntries"), {});
  });
});

Deno.test("Reset of STATE ends in maintenance of the installed system", async () => {
  await withWorker(async (client, cluster) => {
    await client.machine.reset({
      reboot: true,
      systemPartitionsToWipe: wiping("STATE"),
    });
    await cluster.settled();
    const node = cluster.nodes[1]!;
    assert.deepEqual([node.boot.stage, node.disk.configured], [
      Stage.MAINTENANCE,
      false,
    ]);
    using maintenance = maintenanceClient(cluster);
    assert.deepEqual(await specs(maintenance, "BootedEntries"), {
      bootedentry: { bootedEntry: "Talos-v1.12.11.efi" },
    });
    const { messages: [disks] } = await maintenance.storage.disks({});
    assert.deepEqual(
      disks!.disks.map(({ deviceName, systemDisk }) => [
        deviceName,
        systemDisk,
      ]),
      [
        ["/dev/loop0", false],
        ["/dev/vda", true],
        ["/dev/vdb", false],
        ["/dev/vdc", false],
      ],
    );
  });
});

Deno.test("Reset of EPHEMERAL and META keeps the configuration, and leaves etcd", async () => {
  const pace = { stopMs: 10, downMs: 0 };
  await withCluster({ controlplanes: 2, pace }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const [node] = cluster.nodes;
    const { memberId } = node!.etcd.server.client;
    const before = await memberId();
    await client.machine.metaWrite({ key: 10, value: new Uint8Array([65]) });
    await client.machine.reset({
      graceful: true,
      reboot: true,
      systemPartitionsToWipe: wiping("EPHEMERAL", "META"),
    });
    await cluster.settled();
    // It has left and joined again.
    assert.notEqual(await memberId(), before);
    assert.deepEqual(
      [node!.boot.stage, node!.disk.configured, node!.disk.meta.size],
      [Stage.RUNNING, true, 0],
    );
  });
});

Deno.test("a control plane that the others do not let go reboots, and keeps everything", async () => {
  const pace = { stopMs: 10, downMs: 0, panicMs: 0 };
  await withCluster({ pace }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
    const node = cluster.nodes[0]!;
    const { boot: { id: bootId } } = node;
    await client.machine.reset({ graceful: true });
    await cluster.settled();
    assert.notEqual(node.boot.id, bootId);
    assert.deepEqual([node.boot.stage, node.disk.configured], [
      Stage.RUNNING,
      true,
    ]);
  });
});

Deno.test("Reset of other disks wipes those that are named, and no more", async () => {
  await withWorker(async (client, cluster) => {
    await client.machine.reset({
      mode: WipeMode.USER_DISKS,
      userDisksToWipe: ["/dev/vdc"],
      reboot: true,
    });
    await cluster.settled();
    const node = cluster.nodes[1]!;
    assert.deepEqual([node.boot.stage, node.disk.configured], [
      Stage.RUNNING,
      true,
    ]);
    assert.deepEqual(node.disk.userDisks, [
      { name: "vdb", partitions: [{ number: 1, filesystem: "xfs" }] },
      { name: "vdc", partitions: [] },
    ]);
  });
});

Deno.test("partitions that are named and not to be wiped are spared", async () => {
  await withWorker(async (client, cluster) => {
    await client.machine.reset({
      reboot: true,
      systemPartitionsToWipe: [{ label: "STATE", wipe: false }],
    });
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.stage, Stage.RUNNING);
  });
});

Deno.test("Reset refuses what it cannot do, and does nothing", async () => {
  await withWorker(async (client, cluster) => {
    const refusals: string[] = [];
    for (
      const request of [
        { mode: WipeMode.SYSTEM_DISK, userDisksToWipe: ["/dev/vdb"] },
        {
          mode: WipeMode.USER_DISKS,
          systemPartitionsToWipe: wiping("STATE"),
        },
        { userDisksToWipe: ["/dev/vdz"] },
        { userDisksToWipe: ["vdb"] },
        { userDisksToWipe: ["/dev/vda"] },
        { userDisksToWipe: ["/dev/loop0"] },
        { systemPartitionsToWipe: wiping("STATE", "DATA") },
      ]
    ) {
      await assert.rejects(client.machine.reset(request), (error) => {
        assert.ok(error instanceof RpcError);
        assert.equal(error.code, "UNKNOWN");
        refusals.push(error.message);
        return true;
      });
    }
    assert.deepEqual(refusals, [
      "reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter",
      "reset failed: invalid input, wipe mode USER_DISKS doesn't support SystemPartitionsToWipe parameter",
      "reset user disk failed: device /dev/vdz wasn't found",
      "reset user disk failed: device vdb wasn't found",
      "reset user disk failed: device /dev/vda is the system disk",
      "reset user disk failed: device /dev/loop0 is readonly",
      'failed to get volume status with label "DATA": resource VolumeStatuses.block.talos.dev(runtime/DATA@undefined) doesn\'t exist',
    ]);
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.stage, Stage.RUNNING);
  });
});

Deno.test("a node without configuration does not reset itself for anybody", async () => {
  await withCluster({ unconfigured: () => true }, async (cluster) => {
    using client = testClient({ endpoint: cluster.endpoints[0]! });
    await assert.rejects(
      client.machine.reset({}),
      new RpcError(
        "UNIMPLEMENTED",
        "API is not implemented in maintenance mode",
      ),
    );
  });
});

Deno.test("a reboot takes the place of a reset that hangs, and nothing is wiped", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "never-reboots", { calls: 1 });
    await client.machine.reset({ graceful: true, reboot: true });
    await cluster.settled();
    const node = cluster.nodes[1]!;
    assert.equal(node.boot.stage, Stage.RESETTING);
    const { boot: { events } } = node;
    await client.machine.reboot({ mode: 2 });
    await cluster.settled();
    assert.deepEqual([node.boot.stage, node.disk.configured], [
      Stage.RUNNING,
      true,
    ]);
    const tasks: string[] = [];
    for (let at = 0; at < events.end(); at++) {
      const { typeUrl, payload } = events.at(at);
      if (!typeUrl.endsWith(".TaskEvent")) continue;
      tasks.push(TaskEvent.decode(payload()).task);
    }
    assert.ok(!tasks.includes("resetSystemDisk"));
  });
});

function clientTo(
  { endpoints, adminIdentity: identity }: RunningCluster,
  node?: string,
) {
  const metadata = node ? { node: [node] } : {};
  return testClient({ endpoint: endpoints[0]!, identity, metadata });
}

Deno.test("Reboot answers at once, ends streams of events, and comes back as a new boot", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const [, worker] = cluster.nodes;
    using client = clientTo(cluster, "10.5.0.3");
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
    using client = clientTo(cluster, "10.5.0.3");
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
    using client = clientTo(cluster);
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

Deno.test("Shutdown leaves an unreachable node", async () => {
  await withCluster({ workers: 1, pace: { stopMs: 0 } }, async (cluster) => {
    using client = clientTo(cluster, "10.5.0.3");
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
      using client = clientTo(cluster, "10.5.0.3");
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
    using client = clientTo(cluster, "10.5.0.3");
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

Deno.test("Reset while a node shuts down is acknowledged, then refused in its log", async () => {
  await withCluster(
    { workers: 1, pace: { stopMs: 300 } },
    async (cluster) => {
      const node = cluster.nodes[1]!;
      const { boot: { logs } } = node;
      using client = clientTo(cluster, "10.5.0.3");
      await client.machine.shutdown({ force: true });
      const { messages } = await client.machine.reset({ reboot: true });
      const { actorId } = messages[0]!;
      await cluster.settled();
      const { at, end } = logs.get("machined")!;
      const said = Array.from({ length: end() }, (_, line) => at(line))
        .filter((line) => line.includes("reset"))
        .map((line) => line.slice(line.indexOf("] ") + 2));
      assert.deepEqual(said, [
        `reset request received. actorID: ${actorId}`,
        "reset failed: locked",
      ]);
      assert.equal(node.disk.configured, true);
    },
  );
});
