import { type Command, table } from "./_kit/mod.ts";
import { single } from "../transport/call/reply.ts";

/** One mounted file system of one node, in bytes. Source: `MachineService.Mounts`. */
export interface MountRow {
  /** Node that mounted it. */
  readonly node: string;
  /** Device or kind of file system. */
  readonly filesystem: string;
  /** Whole size, above 0. */
  readonly size: number;
  /** Size without what is available. */
  readonly used: number;
  /** What can still be written. */
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
    NODE: (row) => row.node,
    FILESYSTEM: (row) => row.filesystem,
    "SIZE(GB)": (row) => gigabytes(row.size),
    "USED(GB)": (row) => gigabytes(row.used),
    "AVAILABLE(GB)": (row) => gigabytes(row.available),
    "PERCENT USED": ({ available, size }) =>
      `${(100 - 100 * available / size).toFixed(2)}%`,
    "MOUNTED ON": (row) => row.mountedOn,
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

function gigabytes(bytes: number): string {
  return (bytes * 1e-9).toFixed(2);
}
