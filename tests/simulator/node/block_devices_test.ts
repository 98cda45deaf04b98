import assert from "node:assert/strict";
import {
  blockResources,
  isMounted,
  removePartition,
  wipeDevice,
} from "../../../simulator/node/block_devices.ts";
import { bootedNode } from "../_node.ts";

Deno.test("disks, devices and volumes are those of the resources", async () => {
  const node = await bootedNode({ userDisks: 1 });
  const { disks, devices, volumes } = blockResources(node);
  assert.deepEqual(disks.map(({ id }) => id), ["loop0", "vda", "vdb"]);
  assert.deepEqual(devices.map(({ id, spec }) => [id, spec.parent]), [
    ["loop0", undefined],
    ["vda", undefined],
    ["vda1", "vda"],
    ["vda2", "vda"],
    ["vda3", "vda"],
    ["vda4", "vda"],
    ["vdb", undefined],
    ["vdb1", "vdb"],
  ]);
  assert.deepEqual(volumes.map(({ id, spec }) => [id, spec.location]), [
    ["EPHEMERAL", "/dev/vda4"],
    ["META", "/dev/vda2"],
    ["STATE", "/dev/vda3"],
  ]);
});

Deno.test("a disk is mounted when one of its partitions is", async () => {
  const node = await bootedNode({ userDisks: 1 });
  assert.deepEqual(
    ["vda", "vda2", "vda4", "vdb", "vdb1"].map((name) => isMounted(node, name)),
    [true, false, true, false, false],
  );
});

Deno.test("a wipe changes what it concerns, and nothing else", async () => {
  const node = await bootedNode({ userDisks: 2 });
  const before = node.boot.resources.changes.end();
  wipeDevice(node, "vdb1");
  assert.equal(node.boot.resources.changes.end() - before, 1);
  assert.deepEqual(node.disk.userDisks, [
    { name: "vdb", partitions: [{ number: 1, filesystem: "" }] },
    { name: "vdc", partitions: [{ number: 1, filesystem: "xfs" }] },
  ]);
  removePartition(node, "vdc");
  assert.equal(node.disk.userDisks[1]!.partitions.length, 1);
  removePartition(node, "vdc1");
  assert.equal(node.disk.userDisks[1]!.partitions.length, 0);
});
