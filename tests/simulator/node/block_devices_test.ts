import assert from "node:assert/strict";
import {
  removePartition,
  wipeDevice,
} from "../../../simulator/node/block_devices.ts";
import { bootedNode } from "../_node.ts";

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
