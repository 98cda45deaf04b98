/** Journal records before and after each step, so that another client can resume after a crash. */

import { ConfigError } from "../../errors.ts";
import type { Outcome, Verdict } from "./operation.ts";
import type { Json } from "../../lib/json.ts";

interface RecordHead<Type extends string> {
  readonly type: Type;
  /** Time, ISO 8601. */
  readonly at: string;
}

interface NodeRecord<Type extends string> extends RecordHead<Type> {
  readonly node: string;
}

/** Start of an operation. */
export interface BeginRecord extends RecordHead<"begin"> {
  readonly v: 1;
  readonly id: string;
  readonly operation: string;
  readonly input: Json;
  readonly nodes: readonly string[];
  /** Context of the client configuration. */
  readonly context: string;
  /** Name of the client machine; absent in older journals. */
  readonly host?: string;
  /** Rules the user has overridden. */
  readonly allow: readonly string[];
  /** Timeout in milliseconds; 0 when the command does not wait for the end. */
  readonly waitMs: number;
  /** Maximum number or share of unavailable nodes: `2`, `25%`; one when absent. */
  readonly maxUnavailable?: string;
}

/** One line of a journal. */
export type OperationRecord =
  | BeginRecord
  /** Before a request is sent; its key identifies the attempt. */
  | NodeRecord<"intent"> & { readonly key: Json }
  /** Before a phase starts: `install`. */
  | NodeRecord<"step"> & { readonly step: string }
  /** The node accepted the request. */
  | NodeRecord<"ack">
  /** The operation finished on the node, with the observed reason. */
  | NodeRecord<"outcome"> & Pick<Verdict, "outcome" | "reason">
  /** The client finished; nodes may still be in progress. */
  | RecordHead<"end">;

/** A record without its time. */
export type NewOperationRecord<R = OperationRecord> = R extends OperationRecord
  ? Omit<R, "at">
  : never;

/** Where records go. */
export interface Journal {
  readonly id: string;
  /** Writes a record; resolves when it is synced to disk. */
  readonly append: (record: NewOperationRecord) => Promise<void>;
}

/** Journal of one node. */
export interface OperationHistory {
  /** Key of the last attempt; `undefined` when nothing was sent. */
  readonly key?: Json;
  /** Phases started, in order; absent if none. */
  readonly steps?: readonly string[];
  /** True if the node accepted it. */
  readonly acknowledged: boolean;
  /** Time of the last intent, in milliseconds since 1970; absent if unknown. */
  readonly sentAt?: number;
  /** True when a resume would send it again unasked. */
  readonly again?: boolean;
  readonly outcome?: Outcome;
  readonly reason?: string;
}

/** Contents of a journal. */
export interface JournalHistory {
  readonly begin: BeginRecord;
  readonly nodes: ReadonlyMap<string, OperationHistory>;
  /** True when its client finished. */
  readonly closed: boolean;
  /** True when nothing is left to wait for, either. */
  readonly ended: boolean;
}

/** Outcomes of which the end was not observed: another look may find more. */
export const unsettled: ReadonlySet<Outcome> = new Set<Outcome>([
  "never-returned",
  "never-rebooted",
  "timed-out",
  "in-doubt",
]);

/**
 * Parses the lines of a journal.
 *
 * @param text The whole text; a truncated last line is omitted.
 * @throws {ConfigError} If an earlier line is damaged.
 */
export function readRecords(
  text: string,
  name: string,
): readonly OperationRecord[] {
  const lines = text.split("\n");
  // Anything after the last line end is incomplete.
  return lines.slice(0, -1).map((line, index) => {
    try {
      // Written by `append`, with its type checked.
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

/** Folds the records of a journal; `undefined` when it lacks its first record. */
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
