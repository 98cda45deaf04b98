import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { withWire } from "../_wire.ts";

Deno.test("disks lists the disks of simulated nodes and marks the system's, also with a node down", async () => {
  await withWire({ workers: 1, userDisks: 1 }, async (wire) => {
    const { osctl, names: [first, second], cluster } = wire;
    const { out, status } = await osctl("disks");
    const lines = out.split("\n").map((line) => line.trimEnd());
    assert.match(
      lines[0]!,
      /^NODE +DEV +MODEL +SERIAL +TYPE +UUID +WWID +MODALIAS +NAME +SIZE +BUS_PATH +SUBSYSTEM +READ_ONLY +SYSTEM_DISK$/,
    );
    const disks = lines.slice(1, -1).map((line) => line.split(/ {2,}/));
    assert.deepEqual(
      disks.map((cells) => [cells[0], cells[1], cells[9], cells.at(-1)]),
      [first, second].flatMap((node) => [
        [node, "/dev/loop0", "82 MB", "*"],
        [node, "/dev/vda", "22 GB", "*"],
        [node, "/dev/vdb", "11 GB", "/sys/class/block"],
      ]),
    );
    assert.equal(status, 0);
    await setFault(cluster.nodes[1]!, "unavailable");
    const partial = await osctl("disks -o jsonl");
    const rows = partial.out.trim().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(rows.find(({ systemDisk }) => systemDisk), {
      node: first,
      device: "/dev/vda",
      model: "",
      serial: "",
      type: "HDD",
      uuid: "",
      wwid: "",
      modalias: "virtio:d00000002v00001AF4",
      name: "",
      size: 21474836480,
      busPath: "/pci0000:00/0000:00:06.0/virtio3",
      subsystem: "/sys/class/block",
      readOnly: false,
      systemDisk: true,
    });
    assert.equal(rows.at(-1).error.code, "UNAVAILABLE");
    assert.equal(partial.status, 3);
  });
});
