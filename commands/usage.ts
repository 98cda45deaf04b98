import { OsctlError, RpcError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import type { DiskUsageInfo } from "../transport/gen/machine_files.ts";
import {
  bytesText,
  cell,
  type Command,
  integer,
  rest,
  table,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { isPathFailure } from "./_path_failure.ts";

/** Size of a file or directory of a node. Source: `MachineService.DiskUsage`. */
interface UsageRow {
  readonly node: string;
  /** Path below the requested one; `.` for itself. */
  readonly name: string;
  readonly path: string;
  /** Size in bytes; for a directory, including its content. */
  readonly size: number;
}

const inputs = {
  paths: rest("files or directories; default /", { complete: "paths" }),
  all: toggle("show files, not only directories", { short: "a" }),
  depth: integer("number of levels to show below each path", {
    short: "d",
    initial: 1,
    least: 0,
  }),
  humanize: toggle("human-readable sizes", { short: "H" }),
  threshold: integer(
    "hide entries smaller than this many bytes; if negative, larger ones",
    {
      short: "t",
      initial: 0,
      least: -Number.MAX_SAFE_INTEGER,
      most: Number.MAX_SAFE_INTEGER,
    },
  ),
};

type UsageInputs = Values<typeof inputs>;

export const command = {
  summary: "Show disk usage",
  description:
    `The total of a directory comes after its contents. With several paths, full paths are shown.

A path that cannot be read is reported on standard error, and its node counts as failed; all other paths are shown.`,
  aliases: ["du"],
  inputs,
  examples: [
    "usage /var",
    "usage -aH --depth 2 /var/log --nodes 10.0.0.2",
    "usage /var /system --threshold 1000000 --output jsonl",
  ],
  view: ({ paths, humanize }) =>
    table({
      NODE: { cell: (row) => row.node, name: true },
      [humanize ? "SIZE" : "SIZE(B)"]: {
        cell: ({ size }) => humanize ? bytesText(size) : String(size),
        value: ({ size }) => size,
      },
      NAME: {
        cell: (row) => paths.length > 1 ? row.path : row.name,
        name: true,
      },
    }),
  async *run({ input, nodes, note }) {
    const sizes = nodes.stream((client) =>
      readUsage(client, input, (path, problem) =>
        note(
          `warning: ${client.node}: Cannot read "${cell(path)}": ${
            cell(problem)
          }`,
        ))
    );
    for await (const { node, value } of sizes) {
      yield {
        node,
        name: value.relativeName,
        path: value.name,
        size: Number(value.size),
      };
    }
  },
} satisfies Command<UsageRow, UsageInputs>;

/** Sizes below all paths; fails at the end if some could not be read. */
async function* readUsage(
  { machine }: NodeClient,
  { paths, all, depth, threshold }: UsageInputs,
  warn: (path: string, problem: string) => void,
): AsyncGenerator<DiskUsageInfo> {
  let unreadable = 0;
  const failed = (path: string, problem: string) => {
    unreadable++;
    warn(path, problem);
  };
  // One call per path: a node only answers for the first path of a call.
  for (const path of paths.length === 0 ? ["/"] : paths) {
    const answers = machine.diskUsage({
      // The node counts the path itself as a level.
      recursionDepth: depth + 1,
      all,
      threshold: BigInt(threshold),
      paths: [path],
    });
    try {
      for await (const usage of answers) {
        if (usage.error === "") yield usage;
        else failed(usage.name, usage.error);
      }
    } catch (error) {
      if (!(error instanceof RpcError) || !isPathFailure(error)) throw error;
      failed(path, error.message);
    }
  }
  if (unreadable > 0) {
    throw new OsctlError(
      unreadable === 1
        ? "1 path could not be read"
        : `${unreadable} paths could not be read`,
    );
  }
}
