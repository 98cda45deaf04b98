import { type Command, table } from "./_kit/mod.ts";
import { single } from "../transport/call/reply.ts";

/** One mounted file system of one node, in bytes. Source: `MachineService.Mounts`. */
export interface MountRow {
  readonly node: string;
  /** Device or kind of file system. */
  readonly filesystem: string;
  readonly size: number;
  /** Size without what is available. */
  readonly used: number;
  readonly available: number;
  /** Where it is in the file tree. */
  readonly mountedOn: string;
}

/** `osctl mounts`: mounted file systems and how full they are. */
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
        // Kernel file systems have no size, and nothing to tell.
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
