import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { ResetRequest_WipeMode as WipeMode } from "../../../transport/gen/machine.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { openClient, worker } from "../_faults.ts";
import { specs } from "../_resources.ts";

function withWorker(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const pace = { stopMs: 10, downMs: 0, installMs: 0, panicMs: 0 };
  const options = { workers: 1, userDisks: 2, pace };
  return withCluster(options, async (cluster) => {
    using client = openClient(cluster);
    await test(client, cluster);
  });
}

function maintenanceClient({ listening }: RunningCluster) {
  return testClient({ endpoint: listening.get(worker)! });
}

function wiping(...labels: readonly string[]) {
  return labels.map((label) => ({ label, wipe: true }));
}

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

Deno.test("a control plane that the others do not let go reboots, and keeps everything", async () => {
  const pace = { stopMs: 10, downMs: 0, panicMs: 0 };
  await withCluster({ pace }, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
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

Deno.test("Reset refuses what it cannot do, and does nothing", async () => {
  await withWorker(async (client, cluster) => {
    const refusals: string[] = [];
    for (
      const request of [
        { mode: WipeMode.SYSTEM_DISK, userDisksToWipe: ["/dev/vdb"] },
        { mode: WipeMode.USER_DISKS, systemPartitionsToWipe: wiping("STATE") },
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
