import { type Command, table } from "./_kit/mod.ts";
import { single } from "../transport/call/reply.ts";

/** A mounted file system of a node, in bytes. Source: `MachineService.Mounts`. */
interface MountRow {
  readonly node: string;
  /** Device or file system type. */
  readonly filesystem: string;
  readonly size: number;
  /** Size minus available space. */
  readonly used: number;
  readonly available: number;
  readonly mountedOn: string;
}

export const command: Command<MountRow> = {
  summary: "List mounted file systems",
  aliases: ["mount"],
  inputs: {},
  examples: ["mounts", "mounts --nodes @controlplane"],
  view: table({
    NODE: { cell: (row) => row.node, name: true },
    FILESYSTEM: { cell: (row) => row.filesystem, priority: 5 },
    "SIZE(GB)": {
      cell: (row) => gigabytes(row.size),
      value: (row) => row.size,
      priority: 3,
    },
    "USED(GB)": {
      cell: (row) => gigabytes(row.used),
      value: (row) => row.used,
      priority: 4,
    },
    "AVAILABLE(GB)": {
      cell: (row) => gigabytes(row.available),
      value: (row) => row.available,
      priority: 2,
    },
    "PERCENT USED": {
      cell: (row) => `${percentUsed(row).toFixed(2)}%`,
      value: percentUsed,
      tone: (row) => percentUsed(row) > 90 ? "bad" : undefined,
      priority: 1,
    },
    "MOUNTED ON": { cell: (row) => row.mountedOn, name: true },
  }),
  async *run({ nodes }) {
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.mounts({})).messages).stats
    );
    for await (const { node, value: mounts } of answers) {
      for (const mount of mounts) {
        const size = Number(mount.size);
        // Skips kernel file systems, which have no size.
        if (size === 0) continue;
        const available = Number(mount.available);
        yield {
          node,
          filesystem: mount.filesystem,
          size,
          used: size - available,
          available,
          mountedOn: mount.mountedOn,
        };
      }
    }
  },
};

function percentUsed({ available, size }: MountRow): number {
  return 100 - 100 * available / size;
}

function gigabytes(bytes: number): string {
  return (bytes * 1e-9).toFixed(2);
}
