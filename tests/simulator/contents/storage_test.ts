import assert from "node:assert/strict";
import {
  diskSize,
  partitions,
  storageContents,
} from "../../../simulator/contents/storage.ts";

Deno.test("partitions fill the system disk but for what the partition table needs", () => {
  const used = partitions.reduce((sum, { size }) => sum + size, 0);
  assert.equal(diskSize - used, 2 * 2 ** 20);
});

Deno.test("a volume says where it is, how large, and what is on it", () => {
  const volume = storageContents.find(({ type, id }) =>
    type === "VolumeStatuses.block" && id === "STATE"
  )!;
  assert.deepEqual(volume.spec, {
    phase: "ready",
    type: "partition",
    location: "/dev/vda3",
    mountLocation: "/dev/vda3",
    partitionIndex: 3,
    parentLocation: "/dev/vda",
    partitionUUID: "7d1c5a30-0000-4000-8000-000000000003",
    size: 104_857_600,
    prettySize: "105 MB",
    filesystem: "xfs",
  });
});
