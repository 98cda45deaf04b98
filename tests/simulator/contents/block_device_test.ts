import assert from "node:assert/strict";
import {
  device,
  discovered,
  pretty,
} from "../../../simulator/contents/block_device.ts";

Deno.test("a partition knows its disk and its number", () => {
  assert.deepEqual(device("vdb", { number: 2, label: "data" }).spec, {
    type: "partition",
    major: 254,
    minor: 18,
    partitionName: "data",
    partitionNumber: 2,
    devicePath: "/devices/pci0000:00/0000:00:06.0/virtio4/block/vdb/vdb2",
    generation: 1,
    parent: "vdb",
  });
});

Deno.test("what was found on a device says how large it is, also for people", () => {
  const { id, spec } = discovered("vdb", 10 * 2 ** 30, { name: "gpt" });
  assert.equal(id, "vdb");
  assert.deepEqual(spec, {
    dev_path: "/dev/vdb",
    device_path: "/dev/vdb",
    offset: 0,
    size: 10_737_418_240,
    pretty_size: "11 GB",
    sector_size: 512,
    io_size: 512,
    name: "gpt",
  });
  assert.deepEqual([999, 1_200, 104_857_600].map(pretty), [
    "999 B",
    "1.2 kB",
    "105 MB",
  ]);
});
