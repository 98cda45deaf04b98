import assert from "node:assert/strict";
import {
  discoveredVolume,
  prettySize,
} from "../../../../simulator/node/contents/storage.ts";

Deno.test("discoveredVolume: sizes in bytes and as text", () => {
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
