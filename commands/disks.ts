import { domain } from "../talos.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { single } from "../transport/call/reply.ts";
import { type Disk, Disk_DiskType } from "../transport/gen/storage.ts";
import { enumName } from "../transport/node/enum_name.ts";
import {
  readSpec,
  readSpecs,
  type Spec,
} from "../transport/node/read_resource.ts";
import { bytesText, type Command, table, type Values } from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";

/** A disk of a node; strings are empty if unknown. Source: `Disks` and `SystemDisks` resources. */
interface DiskRow {
  readonly node: string;
  /** Path of the device: `/dev/vda`. */
  readonly device: string;
  readonly model: string;
  readonly serial: string;
  /** Type: `SSD`, `HDD`, `NVME`, `SD`, `CD`, `UNKNOWN`. */
  readonly type: string;
  readonly uuid: string;
  readonly wwid: string;
  /** Alias the kernel finds its driver by. */
  readonly modalias: string;
  /** Name, only on old nodes. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  readonly busPath: string;
  /** Its subsystem path in sysfs. */
  readonly subsystem: string;
  /** True if it is read-only. */
  readonly readOnly: boolean;
  /** True for the disk Talos is installed on. */
  readonly systemDisk: boolean;
}

const inputs = { ...maintenanceInputs };

export const command = {
  summary: "List disks",
  description:
    `A * in SYSTEM_DISK marks the disk the system is installed on. "osctl get discoveredvolumes" lists partitions and
their contents.`,
  inputs,
  examples: ["disks", "disks --insecure --nodes 10.0.0.7"],
  view: table({
    NODE: (row) => row.node,
    DEV: (row) => row.device,
    MODEL: { cell: (row) => row.model || "-", priority: 4 },
    SERIAL: { cell: (row) => row.serial || "-", priority: 5 },
    TYPE: { cell: (row) => row.type, priority: 3 },
    UUID: { cell: (row) => row.uuid || "-", priority: 9 },
    WWID: { cell: (row) => row.wwid || "-", priority: 8 },
    MODALIAS: { cell: (row) => row.modalias || "-", priority: 12 },
    NAME: { cell: (row) => row.name || "-", priority: 11 },
    SIZE: {
      cell: (row) => bytesText(row.size),
      value: (row) => row.size,
      priority: 1,
    },
    BUS_PATH: { cell: (row) => row.busPath || "-", priority: 10 },
    SUBSYSTEM: { cell: (row) => row.subsystem || "-", priority: 13 },
    READ_ONLY: { cell: (row) => row.readOnly ? "*" : "", priority: 6 },
    SYSTEM_DISK: { cell: (row) => row.systemDisk ? "*" : "", priority: 2 },
  }),
  async *run({ nodes }) {
    for await (const { node, value } of nodes.call(readDisks)) {
      yield* value.map((disk) => ({ node, ...disk }));
    }
  },
} satisfies Command<DiskRow, Values<typeof inputs>>;

type DiskFacts = Omit<DiskRow, "node">;

async function readDisks(client: NodeClient): Promise<readonly DiskFacts[]> {
  const namespace = "runtime";
  const [disks, system] = await Promise.all([
    readSpecs(client, { namespace, type: `Disks.block.${domain}` }),
    readSpec(client, {
      namespace,
      type: `SystemDisks.block.${domain}`,
      id: "system-disk",
    }),
  ]);
  // Old nodes do not have disks as resources.
  if (disks === undefined) {
    const { messages } = await client.storage.disks({});
    return single(messages).disks.map(ofMessage);
  }
  return [...disks].map(([id, spec]) =>
    ofResource(spec, { id, systemDisk: id === system?.["diskID"] })
  );
}

function ofResource(
  spec: Spec,
  { id, systemDisk }: { readonly id: string; readonly systemDisk: boolean },
): DiskFacts {
  const text = (key: string) => String(spec[key] ?? "");
  return {
    device: `/dev/${id}`,
    model: text("model"),
    serial: text("serial"),
    type: formatType(spec),
    uuid: text("uuid"),
    wwid: text("wwid"),
    modalias: text("modalias"),
    name: "",
    size: Number(spec["size"] ?? 0),
    busPath: text("bus_path"),
    subsystem: text("sub_system"),
    readOnly: spec["readonly"] === true,
    systemDisk,
  };
}

/** Same rules as on the nodes. */
function formatType({ cdrom, transport, rotational }: Spec): string {
  if (cdrom === true) return "CD";
  if (transport === "nvme") return "NVME";
  if (transport === "mmc") return "SD";
  if (rotational === true) return "HDD";
  return transport === undefined || transport === "" ? "UNKNOWN" : "SSD";
}

function ofMessage(disk: Disk): DiskFacts {
  return {
    device: disk.deviceName,
    model: disk.model,
    serial: disk.serial,
    type: enumName(Disk_DiskType, disk.type),
    uuid: disk.uuid,
    wwid: disk.wwid,
    modalias: disk.modalias,
    name: disk.name,
    size: Number(disk.size),
    busPath: disk.busPath,
    subsystem: disk.subsystem,
    readOnly: disk.readonly,
    systemDisk: disk.systemDisk,
  };
}
