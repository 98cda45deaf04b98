/** Logs of nodes, line by line. */

import { byLines } from "../../transport/stream/by_line.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { followLines } from "../../transport/stream/follow_lines.ts";
import {
  type Context,
  type Format,
  lines,
  logTone,
  type Rows,
  type View,
} from "../_kit/mod.ts";
import { following, type GapRow } from "./follow_nodes.ts";

/** One line of a log. */
export interface LogRow {
  /** Node the log is on. */
  readonly node: string;
  /** The line without its end; bytes that are not UTF-8 are U+FFFD. */
  readonly line: string;
}

/** What is read of a log, and how far. */
export interface LogReading {
  /** True to continue with lines to come. */
  readonly follow: boolean;
  /** Start with so many of the last lines; omitted, with the oldest there is. */
  readonly last?: number | undefined;
  /** Ends the call before its client's signal does. */
  readonly signal?: AbortSignal;
}

/** Which log is shown. */
export interface ShownLog extends LogReading {
  /** Reads the log of one node; bytes may be cut anywhere. */
  readonly read: (
    client: NodeClient,
    reading: LogReading,
  ) => AsyncIterable<Uint8Array>;
  /** As {@linkcode FollowLines.lineKeys}: how the same line is known in another reading. */
  readonly lineKeys?: () => (line: string) => string;
  /** Format the user asked for. */
  readonly output: Format;
}

/** How lines look: the node's name in front of each, shown as they come. */
export const logView: View<LogRow | GapRow> = lines(
  (row) =>
    "line" in row
      ? `${row.node}: ${row.line}`
      : `--- ${row.node}: ${row.gap} ---`,
  logTone,
);

/** For help pages: what happens to a log that is followed. */
export const followedLog = `Lines of more than a million characters are split.

With --follow, osctl reconnects to a node that reboots or is unreachable, and the log continues where it stopped, or from its start after a reboot. No line is printed twice. Gaps are reported on standard error; with
-o json, jsonl or yaml it is also a row: node, gap ("node rebooted" or "connection lost"), since, until.`;

/** Reads the same log of all nodes. `context`: nodes, clock and standard error. */
export function logRows(
  context: Pick<Context<unknown>, "nodes" | "note" | "environment">,
  request: ShownLog,
): Rows<LogRow | GapRow> {
  return request.follow ? followed(context, request) : read(context, request);
}

async function* read(
  { nodes }: Pick<Context<unknown>, "nodes">,
  { read, last }: ShownLog,
): AsyncGenerator<readonly LogRow[]> {
  const batches = nodes.stream((client) =>
    byLines(read(client, { follow: false, last }))
  );
  for await (const { node, value } of batches) {
    yield value.map((line) => ({ node, line }));
  }
}

function followed(
  context: Pick<Context<unknown>, "nodes" | "note" | "environment">,
  { read, last, lineKeys, output }: ShownLog,
): AsyncGenerator<LogRow | GapRow> {
  return following(context, {
    output,
    row: (node, line: string): LogRow => ({ node, line }),
    follow: (client, options) =>
      followLines({
        ...options,
        ...last === undefined ? {} : { last },
        ...lineKeys === undefined ? {} : { lineKeys },
        read: (reading) => read(client, reading),
      }),
  });
}
