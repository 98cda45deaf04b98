/** What is written down before and after each step, so that a client that died can be followed by another. */

import { ConfigError } from "../../errors.ts";
import type { Outcome, Verdict } from "./operation.ts";
import type { Json } from "../../lib/json.ts";

interface RecordHead<Type extends string> {
  readonly type: Type;
  /** When, ISO 8601. */
  readonly at: string;
}

interface NodeRecord<Type extends string> extends RecordHead<Type> {
  readonly node: string;
}

/** What was asked for. */
export interface BeginRecord extends RecordHead<"begin"> {
  readonly v: 1;
  readonly id: string;
  readonly operation: string;
  readonly input: Json;
  readonly nodes: readonly string[];
  /** Context of the client configuration the nodes were reached with. */
  readonly context: string;
  /** Name of the machine it was started on; absent in journals of before there was one. */
  readonly host?: string;
  /** Rules the user has overridden. */
  readonly allow: readonly string[];
  /** Longest wait in milliseconds; 0 when the command does not wait for the end. */
  readonly waitMs: number;
  /** Nodes that may be away at once, or their share: `2`, `25%`; one when absent. */
  readonly maxUnavailable?: string;
}

/** One line of a journal. */
export type OperationRecord =
  | BeginRecord
  /** Something is about to be sent; its key tells this attempt from others. */
  | NodeRecord<"intent"> & { readonly key: Json }
  /** A part of it is about to be asked of a node: `install`. */
  | NodeRecord<"step"> & { readonly step: string }
  /** The node has taken it. */
  | NodeRecord<"ack">
  /** It has ended on the node; the reason is what was seen. */
  | NodeRecord<"outcome"> & Pick<Verdict, "outcome" | "reason">
  /** Its client came to its end; nodes may still be at it. */
  | RecordHead<"end">;

/** A record before it has its time. */
export type NewOperationRecord<R = OperationRecord> = R extends OperationRecord
  ? Omit<R, "at">
  : never;

/** Where records go. */
export interface Journal {
  readonly id: string;
  /** Writes a record; resolves when it survives a crash. */
  readonly append: (record: NewOperationRecord) => Promise<void>;
}

/** What a journal says of one node. */
export interface OperationHistory {
  /** What the last attempt is known by; `undefined` when nothing was sent. */
  readonly key?: Json;
  /** Parts that were about to be asked of it, in order; absent when none was. */
  readonly steps?: readonly string[];
  /** Whether the node accepted it. */
  readonly acknowledged: boolean;
  /** When the last attempt was about to be sent, in milliseconds since 1970; absent where that is not known. */
  readonly sentAt?: number;
  /** True when it would be sent again without anybody having asked for it. */
  readonly again?: boolean;
  readonly outcome?: Outcome;
  readonly reason?: string;
}

/** What a journal says. */
export interface JournalHistory {
  readonly begin: BeginRecord;
  readonly nodes: ReadonlyMap<string, OperationHistory>;
  /** True when its client came to its end. */
  readonly closed: boolean;
  /** True when nothing is left to wait for, either. */
  readonly ended: boolean;
}

/** Outcomes that say no more than that it was not seen to end: another look may see more. */
export const unsettled: ReadonlySet<Outcome> = new Set<Outcome>([
  "never-returned",
  "never-rebooted",
  "timed-out",
  "in-doubt",
]);

/**
 * Reads the lines of a journal.
 *
 * @param text All of it; a last line that was truncated is omitted.
 * @throws {ConfigError} If a line before the last is damaged.
 */
export function readRecords(
  text: string,
  name: string,
): readonly OperationRecord[] {
  const lines = text.split("\n");
  // Whatever is behind the last line end was not written to its end.
  return lines.slice(0, -1).map((line, index) => {
    try {
      // Written by `append`, and checked by its own type.
      const record = JSON.parse(line) as OperationRecord;
      if (typeof record.type === "string") return record;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new ConfigError(
      `Cannot read journal "${name}": line ${index + 1} is damaged`,
      { hint: "Check the nodes, then remove the journal" },
    );
  });
}

/** Puts the records of a journal together; `undefined` when the journal does not even say what was asked for. */
export function foldHistory(
  records: readonly OperationRecord[],
): JournalHistory | undefined {
  const [begin] = records;
  if (begin?.type !== "begin") return undefined;
  const nodes = new Map<string, OperationHistory>(
    begin.nodes.map((node) => [node, { acknowledged: false }]),
  );
  for (const record of records) {
    if (!("node" in record)) continue;
    const known = nodes.get(record.node) ?? { acknowledged: false };
    nodes.set(record.node, { ...known, ...foldRecord(record, known) });
  }
  const closed = records.at(-1)?.type === "end";
  const isSettled = [...nodes.values()].every(({ outcome }) =>
    outcome === undefined || !unsettled.has(outcome)
  );
  return { begin, nodes, closed, ended: closed && isSettled };
}

function foldRecord(
  record: Extract<OperationRecord, { readonly node: string }>,
  { steps = [] }: OperationHistory,
): Partial<OperationHistory> {
  switch (record.type) {
    case "intent":
      return { key: record.key, acknowledged: false, ...sentAt(record) };
    case "step":
      return { steps: [...steps, record.step], ...sentAt(record) };
    case "ack":
      return { acknowledged: true };
    case "outcome":
      return { outcome: record.outcome, reason: record.reason };
  }
}

function sentAt({ at }: OperationRecord): Pick<OperationHistory, "sentAt"> {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? {} : { sentAt: ms };
}
