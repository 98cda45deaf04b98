import assert from "node:assert/strict";
import { firstEntry } from "../../../../simulator/release/boot_entries.ts";
import {
  deviceResource,
  discoveredVolume,
  diskContents,
  diskSize,
  mountContents,
  partitions,
  prettySize,
} from "../../../../simulator/node/contents/storage.ts";

Deno.test("partitions fill the system disk but for what the partition table needs", () => {
  const used = partitions.reduce((sum, { size }) => sum + size, 0);
  assert.equal(diskSize - used, 2 * 2 ** 20);
});

Deno.test("a volume says where it is, how large, and what is on it", () => {
  const boot = firstEntry({ tag: "v1.12.11" });
  const volume = diskContents({ bootEntries: boot, userDisks: [] }).find((
    { type, id },
  ) => type === "VolumeStatuses.block" && id === "STATE")!;
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

Deno.test("a mounted volume has who asked for it", () => {
  const specs = mountContents.filter(({ type, id }) =>
    id === "EPHEMERAL" && /^(Volume)?Mount.*\.block$/.test(type)
  ).map(({ type, spec }) => [type, spec]);
  const common = { volumeID: "EPHEMERAL", readOnly: false, detached: false };
  const options = { secure: true, disableAccessTime: false, noExec: false };
  const request = {
    ...common,
    secure: true,
    parentID: "",
    requesters: ["sequencer"],
    requesterIDs: ["EPHEMERAL"],
  };
  assert.deepEqual(specs, [
    ["MountStatuses.block", {
      spec: request,
      source: "/dev/vda4",
      target: "/var",
      filesystem: "xfs",
      readOnly: false,
      projectQuotaSupport: false,
      detached: false,
    }],
    ["MountRequests.block", request],
    ["VolumeMountRequests.block", {
      ...common,
      ...options,
      requester: "sequencer",
    }],
    ["VolumeMountStatuses.block", {
      ...common,
      ...options,
      requester: "sequencer",
      target: "/var",
    }],
  ]);
});

Deno.test("a disk on which nothing was installed is empty, and its volumes have no place", () => {
  const contents = diskContents({ bootEntries: undefined, userDisks: [] });
  const typed = (wanted: string) =>
    contents.filter(({ type }) => type === wanted);
  assert.deepEqual(typed("BlockDevices.block").map(({ id }) => id), [
    "loop0",
    "vda",
  ]);
  assert.deepEqual(typed("SystemDisks.block"), []);
  assert.deepEqual(
    typed("VolumeStatuses.block").map(({ id, spec }) => [id, spec]),
    [
      ["META", { phase: "missing", type: "partition" }],
      ["STATE", { phase: "missing", type: "partition" }],
      ["EPHEMERAL", { phase: "waiting", type: "partition" }],
    ],
  );
});

Deno.test("other disks have partitions, or none", () => {
  const userDisks = [
    { name: "vdb", partitions: [{ number: 1, filesystem: "xfs" }] },
    { name: "vdc", partitions: [] },
  ];
  const contents = diskContents({ bootEntries: undefined, userDisks });
  const found = contents.filter(({ type }) =>
    type === "DiscoveredVolumes.block"
  );
  assert.deepEqual(
    found.map(({ id, spec }) => [id, (spec as { name: string }).name]),
    [["vdb", "gpt"], ["vdb1", "xfs"], ["vdc", ""], ["vda", ""]],
  );
});

Deno.test("a partition knows its disk and its number", () => {
  assert.deepEqual(deviceResource("vdb", { number: 2, label: "data" }).spec, {
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
  const { id, spec } = discoveredVolume("vdb", 10 * 2 ** 30, { name: "gpt" });
  assert.equal(id, "vdb");
  assert.deepEqual(spec, {
    dev_path: "/dev/vdb",
    dev_dath: "/dev/vdb",
    device_path: "/dev/vdb",
    offset: 0,
    size: 10_737_418_240,
    pretty_size: "11 GB",
    sector_size: 512,
    io_size: 512,
    name: "gpt",
  });
  assert.deepEqual([999, 1_200, 104_857_600].map(prettySize), [
    "999 B",
    "1.2 kB",
    "105 MB",
  ]);
});
