/** Polls a list and reports its changes. */

import { NodesError, OsctlError } from "../../errors.ts";
import { writeExactly } from "../../terminal/bigint_json.ts";
import { rowKey } from "../../terminal/tabular.ts";
import type { Column, View } from "../../terminal/view.ts";
import { pause } from "../../lib/pause.ts";
import { type Rows, rowsIn } from "./command.ts";

/** A row with the fields known here. */
export interface AnyRow {
  readonly node?: unknown;
}

/** Context of a watch. */
interface WatchContext {
  /** View of the rows; its columns name them. */
  readonly view: View<AnyRow>;
  readonly signal: AbortSignal;
  /** Prints problems to standard error. */
  readonly note: (text: string) => void;
  /** Waits between two reads; returns early if the signal aborts. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Polling interval, in milliseconds. */
const everyMs = 2_000;

interface ReadRow {
  readonly row: AnyRow;
  readonly text: string;
}

/**
 * Polls a list until interrupted.
 *
 * A node that fails keeps its previous rows; each failure is reported once.
 *
 * @param read Reads the list once.
 * @returns New, changed and removed rows, with `event`: `created`, `updated` or `destroyed`.
 * @throws {NodesError} If no node answers the first time.
 */
export async function* watchedRows(
  read: () => Rows<AnyRow>,
  { view, signal, note, wait = pause }: WatchContext,
): AsyncGenerator<AnyRow> {
  let before: ReadonlyMap<string, ReadRow> | undefined;
  let failing: ReadonlySet<string> = new Set();
  const toKey = keys(view);
  while (!signal.aborted) {
    const now = new Map<string, ReadRow>();
    const failures = new Map<string, unknown>();
    try {
      // One read at a time on purpose.
      for await (const given of read()) {
        for (const row of rowsIn(given)) {
          now.set(toKey(row, now), {
            row,
            text: JSON.stringify(row, writeExactly),
          });
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      const isFirst = before === undefined && now.size === 0;
      if (isFirst || !(error instanceof NodesError)) throw error;
      for (const [node, cause] of error.failures) failures.set(node, cause);
    }
    for (const [node, cause] of failures) {
      if (!failing.has(node)) note(`--- ${node}: ${formatMessage(cause)} ---`);
    }
    failing = new Set(failures.keys());
    yield* changes(before ?? new Map(), now, failures);
    before = now;
    await wait(everyMs, signal);
  }
}

/** Compares two reads; failed nodes keep their rows. */
function* changes(
  before: ReadonlyMap<string, ReadRow>,
  now: Map<string, ReadRow>,
  failures: ReadonlyMap<string, unknown>,
): Generator<AnyRow> {
  for (const [key, { row, text }] of now) {
    const old = before.get(key);
    if (old?.text === text) continue;
    yield {
      ...row,
      event: old === undefined ? "created" : "updated",
    } as AnyRow;
  }
  for (const [key, old] of before) {
    if (now.has(key)) continue;
    if (failures.has(String(old.row.node))) now.set(key, old);
    else yield { ...old.row, event: "destroyed" } as AnyRow;
  }
}

function keys(
  view: View<AnyRow>,
): (row: AnyRow, taken: ReadonlyMap<string, unknown>) => string {
  let columns: readonly Column<AnyRow>[] | undefined;
  return (row, taken) => {
    const name = view.kind === "table"
      ? rowKey(columns ??= view.columns(row), row)
      : String(row.node);
    let key = name;
    for (let i = 2; taken.has(key); i++) key = `${name}\0${i}`;
    return key;
  };
}

function formatMessage(error: unknown): string {
  if (error instanceof OsctlError) return error.message;
  throw error;
}
