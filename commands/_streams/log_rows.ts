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
import { NodesError } from "../../errors.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import type { Gap, Item } from "../../transport/stream/follow.ts";
import {
  type FollowerOptions,
  following,
  type FollowSpec,
  type GapRow,
} from "./follow_nodes.ts";
import {
  type LineChoice,
  lineChoice,
  type SelectionInputs,
  type TimedLine,
} from "./log_selection.ts";
import { mergeFollowed } from "./merge_followed.ts";
import { mergeLogs } from "./merge_logs.ts";

/** One line of a log. */
export interface LogRow {
  readonly node: string;
  /** Name of the log; only where several are read, or it was asked for. */
  readonly log?: string;
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

interface ShownLog extends LogReading {
  /** Names of the logs that are read of each node; default one without a name. */
  readonly logs?: readonly string[];
  /** Which lines are shown; omitted, all. */
  readonly selection?: SelectionInputs;
  /** Reads a log of one node; bytes may be cut anywhere. */
  readonly read: (
    client: NodeClient,
    reading: LogReading,
    log: string,
  ) => AsyncIterable<Uint8Array>;
  /** As {@linkcode FollowLines.lineKey}: how the same line is known in another reading. */
  readonly lineKey?: (line: string) => string;
  readonly output: Format;
}

/** How lines look with or without what is in front of them. */
export function makeLogView(
  { prefix }: Pick<SelectionInputs, "prefix">,
): View<LogRow | GapRow> {
  const front = ({ node, log }: LogRow) =>
    prefix === false
      ? ""
      : log === undefined
      ? `${node}: `
      : `${node} ${log}: `;
  return lines(
    (row) =>
      "line" in row
        ? `${front(row)}${row.line}`
        : `--- ${row.node}: ${row.gap} ---`,
    logTone,
  );
}

/** For help pages: what happens to a log that is followed. */
export const followedLog =
  `Lines of more than a million characters are split. Values after names such as token, password or secret are shown as
(redacted, N characters).

With --follow, osctl waits for nodes that are down, and reconnects to those that reboot or become unreachable. The log
continues where it stopped, or after a reboot from its start; no line is printed twice. Gaps are reported on standard
error, and with -o json, jsonl or yaml also as rows: node, gap ("node rebooted" or "connection lost"), since, until.`;

/** What reading logs needs: nodes, clock and standard error. */
type LogContext = Pick<
  Context<unknown>,
  "nodes" | "note" | "environment"
>;

/** Reads the same logs of all nodes. `context`: nodes, clock and standard error. Throws `UsageError` if flags contradict one another. */
export function logRows(
  context: LogContext,
  request: ShownLog,
): Rows<LogRow | GapRow> {
  const { selection, follow } = request;
  const now = context.environment.now().getTime();
  const choice = selection && lineChoice(selection, { now, follow });
  if (follow) return followed(context, request, choice);
  return selection?.merge && choice
    ? merged(context, request, choice)
    : read(context, request, choice);
}

/** A row; the log is named where there are several, or where the user wants to see it. */
function rowMaker(
  { logs = [""], selection }: ShownLog,
): (node: string, log: string, line: string) => LogRow {
  const isNamed = selection?.prefix ?? logs.length > 1;
  return isNamed
    ? (node, log, line) => ({ node, ...log !== "" && { log }, line })
    : (node, _, line) => ({ node, line });
}

async function* read(
  { nodes }: LogContext,
  request: ShownLog,
  choice: (() => LineChoice) | undefined,
): AsyncGenerator<readonly LogRow[]> {
  const { read, last, logs = [""] } = request;
  const row = rowMaker(request);
  const batches = nodes.stream(async function* (client) {
    const failures: unknown[] = [];
    // One after the other, as they were named.
    for (const log of logs) {
      try {
        const all = byLines(read(client, { follow: false, last }, log));
        const chosen = choice?.();
        for await (const lines of all) {
          yield {
            log,
            lines: chosen ? chosen(lines).map(({ line }) => line) : lines,
          };
        }
      } catch (error) {
        // A log that is not there is no reason not to show the others.
        failures.push(error);
      }
      if (client.signal.aborted) break;
    }
    if (failures.length > 0) throw failures[0];
  });
  for await (const { node, value: { log, lines } } of batches) {
    yield lines.map((line) => row(node, log, line));
  }
}

async function* merged(
  { nodes }: LogContext,
  request: ShownLog,
  choice: () => LineChoice,
): AsyncGenerator<readonly LogRow[]> {
  const { read, last, logs = [""] } = request;
  const row = rowMaker(request);
  const names = await nodes.names();
  const clients = await Promise.all(names.map((name) => nodes.at(name)));
  const sources = clients.flatMap((client) =>
    logs.map((log) => ({
      node: client.node,
      log,
      lines: chosenLines(
        byLines(read(client, { follow: false, last }, log)),
        choice(),
      ),
    }))
  );
  for await (const lines of mergeLogs(sources, names.length)) {
    yield lines.map(({ node, log, line }) => row(node, log, line));
  }
}

async function* chosenLines(
  batches: AsyncIterable<readonly string[]>,
  choice: LineChoice,
) {
  for await (const lines of batches) yield choice(lines);
}

function followed(
  context: LogContext,
  request: ShownLog,
  choice: (() => LineChoice) | undefined,
): Rows<LogRow | GapRow> {
  const { read, last, lineKey, output, selection, logs = [""] } = request;
  const row = rowMaker(request);
  const toRow = (node: string, { log, line }: LogLine) => row(node, log, line);
  const follow = async function* (
    client: NodeClient,
    options: FollowerOptions,
    log: string,
  ): AsyncGenerator<Item<LogLine> | Gap> {
    const chosen = choice?.();
    const seen = followLines({
      ...options,
      ...last === undefined ? {} : { last },
      ...lineKey === undefined ? {} : { lineKey },
      read: (reading) => read(client, reading, log),
    });
    for await (const one of seen) {
      if (one.kind !== "item") {
        yield one;
        continue;
      }
      const lines = chosen?.([one.item]) ??
        [{ line: one.item, time: -Infinity }];
      for (const line of lines) yield { kind: "item", item: { log, ...line } };
    }
  };
  const spec = {
    output,
    awaits: true,
    follow: (client: NodeClient, options: FollowerOptions) =>
      logs.length === 1
        ? follow(client, options, logs[0] ?? "")
        : together(logs, options.signal, (log, signal) =>
          follow(client, { ...options, signal }, log)),
  };
  return selection?.merge
    ? followedInOrder(context, { ...spec, row: toRow }, logs)
    : following(context, { ...spec, row: toRow });
}

interface LogLine extends TimedLine {
  readonly log: string;
}

async function* followedInOrder(
  context: LogContext,
  spec: FollowSpec<LogLine, LogRow>,
  logs: readonly string[],
): AsyncGenerator<readonly (LogRow | GapRow)[]> {
  const names = await context.nodes.names();
  const sources = names.flatMap((node) => logs.map((log) => `${node}/${log}`));
  const rows = following(context, {
    ...spec,
    row: (node, line: LogLine) => ({
      source: `${node}/${line.log}`,
      time: line.time,
      row: spec.row(node, line),
    }),
  });
  yield* mergeFollowed(gapsApart(rows), { sources });
}

async function* gapsApart<T extends object>(
  rows: AsyncIterable<T | GapRow>,
): AsyncGenerator<T | { readonly other: GapRow }> {
  for await (const row of rows) yield "gap" in row ? { other: row } : row;
}

/** Reads several logs of one node at once; the first failure is that of the node. */
async function* together<T>(
  logs: readonly string[],
  signal: AbortSignal,
  open: (log: string, signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    const all = { nodes: logs, open, signal, atOnce: logs.length };
    for await (const { value } of fanOut(all)) yield value;
  } catch (error) {
    if (!(error instanceof NodesError)) throw error;
    throw [...error.failures.values()][0];
  }
}
