import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import {
  BlockDeviceWipeDescriptor_Method as Method,
} from "../../../transport/gen/storage.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient } from "../_faults.ts";
import { specs } from "../_resources.ts";

function withDisks(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  return withCluster({ userDisks: 1 }, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    await test(client, cluster);
  });
}

/** File systems and partition tables by device. */
async function readVolumeNames(
  client: NodeClient,
): Promise<Record<string, string>> {
  const all = await specs(client, "DiscoveredVolumes.block");
  return Object.fromEntries(
    Object.entries(all).filter(([id]) => id.startsWith("vdb")).map((
      [id, spec],
    ) => [id, (spec as { name: string }).name]),
  );
}

async function refusals(
  client: NodeClient,
  devices: readonly Parameters<
    NodeClient["storage"]["blockDeviceWipe"]
  >[0][],
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const request of devices) {
    await assert.rejects(client.storage.blockDeviceWipe(request), (error) => {
      assert.ok(error instanceof RpcError);
      said.push(`${error.code}: ${error.message}`);
      return true;
    });
  }
  return said;
}

Deno.test("BlockDeviceWipe of a partition leaves it empty, or drops it", async () => {
  await withDisks(async (client, cluster) => {
    assert.deepEqual(await readVolumeNames(client), {
      vdb: "gpt",
      vdb1: "xfs",
    });
    await client.storage.blockDeviceWipe({
      devices: [{ device: "vdb1", method: Method.ZEROES }],
    });
    assert.deepEqual(await readVolumeNames(client), { vdb: "gpt", vdb1: "" });
    await client.storage.blockDeviceWipe({
      devices: [{ device: "vdb1", dropPartition: true }],
    });
    assert.deepEqual(await readVolumeNames(client), { vdb: "" });
    assert.equal(
      (await specs(client, "BlockDevices.block"))["vdb1"],
      undefined,
    );
    await cluster.reboot("10.5.0.2");
    using later = openClient(cluster, "10.5.0.2");
    assert.deepEqual(await readVolumeNames(later), { vdb: "" });
  });
});

Deno.test("BlockDeviceWipe refuses what is used, read-only or not there, and wipes nothing then", async () => {
  await withDisks(async (client) => {
    const of = (device: string, more = {}) => ({
      devices: [{ device: "vdb" }, { device, ...more }],
    });
    const said = await refusals(client, [
      of("vdz"),
      of("loop0"),
      of("vda"),
      of("vda4"),
      { devices: [{ device: "vda4", skipVolumeCheck: true }] },
      // As a newer client might.
      { devices: [{ device: "vdb", method: 7 as Method }] },
    ]);
    assert.deepEqual(said, [
      'NOT_FOUND: blockdevice "vdz" not found',
      'FAILED_PRECONDITION: blockdevice "loop0" is read-only',
      'FAILED_PRECONDITION: blockdevice "vda" is in use by volume "EPHEMERAL"',
      'FAILED_PRECONDITION: blockdevice "vda4" is in use by volume "EPHEMERAL"',
      'FAILED_PRECONDITION: block device "vda4" is mounted or in use',
      "INVALID_ARGUMENT: unsupported wipe method 7",
    ]);
    assert.deepEqual(await readVolumeNames(client), {
      vdb: "gpt",
      vdb1: "xfs",
    });
  });
});

Deno.test("a wipe of META that is forced leaves no values", async () => {
  await withDisks(async (client) => {
    await client.machine.metaWrite({ key: 10, value: new Uint8Array([65]) });
    await client.storage.blockDeviceWipe({
      devices: [{ device: "vda2", skipVolumeCheck: true }],
    });
    await assert.rejects(client.machine.metaDelete({ key: 10 }), {
      code: "NOT_FOUND",
    });
  });
});

Deno.test("LVM objects and arrays are not found on nodes that have none", async () => {
  const release = { tag: "v1.14.0-rc.1" };
  await withCluster({ release, userDisks: 1 }, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    const { lvm, md } = client;
    const said: string[] = [];
    for (
      const call of [
        lvm.volumeGroupRemove({ volumeGroup: "data" }),
        lvm.physicalVolumeRemove({ device: "" }),
        lvm.physicalVolumeRemove({ device: "/dev/vdb1" }),
        lvm.logicalVolumeRemove({ volumeGroup: "data", logicalVolume: "" }),
        md.destroy({ device: "/dev/md0" }),
        md.destroy({ device: "md0" }),
      ]
    ) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof RpcError);
        said.push(`${error.code}: ${error.message}`);
        return true;
      });
    }
    assert.deepEqual(said, [
      "NOT_FOUND: lvm: resource not found",
      "INVALID_ARGUMENT: device must be set",
      "NOT_FOUND: lvm: resource not found",
      "INVALID_ARGUMENT: volume_group and logical_volume must be set",
      "NOT_FOUND: md: array not found",
      "INVALID_ARGUMENT: device must be a full /dev path",
    ]);
  });
});
