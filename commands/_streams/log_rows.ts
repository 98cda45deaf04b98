import { byLines, lineBlocks } from "../../transport/stream/by_line.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { followLines } from "../../transport/stream/follow_lines.ts";
import {
  type Context,
  type Format,
  LineBlock,
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

/** A line of a log. */
export interface LogRow {
  readonly node: string;
  /** Name of the log; only if there are several, or it was requested. */
  readonly log?: string;
  /** The line without its line end; invalid UTF-8 becomes U+FFFD. */
  readonly line: string;
}

/** Options for reading logs. */
export interface LogReading {
  readonly follow: boolean;
  /** Number of last lines to start with; omitted for the whole log. */
  readonly last?: number | undefined;
  /** Aborts the call before the client's signal does. */
  readonly signal?: AbortSignal;
}

interface ShownLog extends LogReading {
  /** Names of the logs of each node; default a single unnamed one. */
  readonly logs?: readonly string[];
  /** Line filter; omitted for all lines. */
  readonly selection?: SelectionInputs;
  /** Reads a log of one node; chunks may be split anywhere. */
  readonly read: (
    client: NodeClient,
    reading: LogReading,
    log: string,
  ) => AsyncIterable<Uint8Array>;
  /** Like {@linkcode FollowLines.lineKey}: identifies the same line in another read. */
  readonly lineKey?: (line: string) => string;
  readonly output: Format;
}

type LinePrefix = Pick<SelectionInputs, "prefix">;

/** Text before a line. */
function formatPrefix(
  { node, log }: Pick<LogRow, "node" | "log">,
  { prefix }: Partial<LinePrefix>,
): string {
  if (prefix === false) return "";
  return log === undefined ? `${node}: ` : `${node} ${log}: `;
}

/** Formats lines with or without a prefix. */
export function makeLogView(input: LinePrefix): View<LogRow | GapRow> {
  return lines(
    (row) =>
      "line" in row
        ? `${formatPrefix(row, input)}${row.line}`
        : `--- ${row.node}: ${row.gap} ---`,
    logTone,
  );
}

/** Help text on followed logs. */
export const followedLog =
  `Lines of more than a million characters are split. Values after names such as token, password or secret are shown as
(redacted, N characters).

With --follow, osctl waits for nodes that are down, and reconnects to those that reboot or become unreachable. The log
continues where it stopped, or after a reboot from its start; no line is printed twice. Gaps are reported on standard
error, and with -o json, jsonl or yaml also as rows: node, gap ("node rebooted" or "connection lost"), since, until.`;

/** Context for reading logs: nodes, clock and standard error. */
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
  if (follow) return followLogs(context, request, choice);
  return selection?.merge && choice
    ? mergeLogRows(context, request, choice)
    : readLogs(context, request, choice);
}

/**
 * Fewest characters that are printed as one text: to find out that a long text has no secrets, all of them are spelled
 * out, which takes 5 ms once.
 */
const leastBlock = 16 * 1024;

/** Makes rows; with the log name if there are several logs, or it was requested. */
function rowMaker(
  { logs = [""], selection }: ShownLog,
): (node: string, log: string, line: string) => LogRow {
  const isNamed = selection?.prefix ?? logs.length > 1;
  return isNamed
    ? (node, log, line) => ({ node, ...log !== "" && { log }, line })
    : (node, _, line) => ({ node, line });
}

async function* readLogs(
  { nodes }: LogContext,
  request: ShownLog,
  choice: (() => LineChoice) | undefined,
): AsyncGenerator<readonly LogRow[] | LineBlock<LogRow>> {
  const { read, last, logs = [""], selection = {} } = request;
  const row = rowMaker(request);
  const batches = nodes.stream(async function* (client) {
    const failures: unknown[] = [];
    // One at a time, in the given order.
    for (const log of logs) {
      try {
        const all = lineBlocks(read(client, { follow: false, last }, log));
        const chosen = choice?.();
        for await (const text of all) {
          if (chosen === undefined) yield { log, text };
          else yield { log, lines: chosen(text.split("\n")) };
        }
      } catch (error) {
        // A missing log does not prevent showing the others.
        failures.push(error);
      }
      if (client.signal.aborted) break;
    }
    if (failures.length > 0) throw failures[0];
  });
  for await (const { node, value: { log, text = "", lines } } of batches) {
    if (lines) {
      yield lines.map(({ line }) => row(node, log, line));
      continue;
    }
    const rows = () => text.split("\n").map((line) => row(node, log, line));
    if (text.length < leastBlock) {
      yield rows();
      continue;
    }
    const front = formatPrefix(row(node, log, ""), selection);
    const all = () => `${front}${text.replaceAll("\n", `\n${front}`)}\n`;
    yield new LineBlock(all, rows);
  }
}

async function* mergeLogRows(
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

function followLogs(
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
      last,
      lineKey,
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

/** Reads several logs of one node in parallel; the first error is that of the node. */
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
