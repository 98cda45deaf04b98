import assert from "node:assert/strict";
import { domain } from "../../dialect.ts";
import { RpcError } from "../../errors.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { run } from "../_run.ts";
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

const yaml = (id: string, spec: string) => ({
  resource: {
    metadata: { namespace: "runtime", type: `Disks.block.${domain}`, id },
    spec: { yamlSpec: spec },
  },
});

Deno.test("disks tells kinds of disks apart", async () => {
  const { out } = await run("disks -o jsonpath={.device}={.type}", {
    a: {
      async *list() {
        await Promise.resolve();
        yield yaml("sr0", "cdrom: true\ntransport: ata\n");
        yield yaml("nvme0n1", "transport: nvme\n");
        yield yaml("mmcblk0", "transport: mmc\n");
        yield yaml("sda", "transport: sata\nrotational: true\n");
        yield yaml("sdb", "transport: sata\n");
        yield yaml("loop0", "size: 1\n");
      },
      get: () => Promise.reject(new RpcError("NOT_FOUND", "no")),
    },
  });
  assert.deepEqual(out.trim().split("\n"), [
    "/dev/sr0=CD",
    "/dev/nvme0n1=NVME",
    "/dev/mmcblk0=SD",
    "/dev/sda=HDD",
    "/dev/sdb=SSD",
    "/dev/loop0=UNKNOWN",
  ]);
});

Deno.test("disks asks the storage service of a node without disk resources", async () => {
  const unknown = new RpcError("NOT_FOUND", "resource type is not registered");
  const { out, err, status } = await run("disks", {
    a: {
      // deno-lint-ignore require-yield
      async *list() {
        await Promise.resolve();
        throw unknown;
      },
      get: () => Promise.reject(unknown),
      disks: () => ({
        messages: [{
          disks: [{
            deviceName: "/dev/sda",
            model: "QEMU HARDDISK",
            size: 8_589_934_592n,
            type: 2,
            readonly: true,
            systemDisk: true,
          }],
        }],
      }),
    },
  });
  assert.equal(
    out,
    `NODE   DEV        MODEL           SERIAL   TYPE   UUID   WWID   MODALIAS   NAME   SIZE     BUS_PATH   SUBSYSTEM   READ_ONLY   SYSTEM_DISK
a      /dev/sda   QEMU HARDDISK   -        HDD    -      -      -          -      8.6 GB   -          -           *           *
`,
  );
  assert.deepEqual([err, status], ["", 0]);
});
