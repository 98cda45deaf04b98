/** Merges lines of many followed logs by time, as far as that does not delay them. */

import { after } from "../../lib/timer.ts";

/** A row of a log. */
export interface TimedRow<Row> {
  /** Its log: `node/name`. */
  readonly source: string;
  /** Time, in milliseconds since 1970; -Infinity before the first timestamp in the log. */
  readonly time: number;
  readonly row: Row;
}

interface FollowedMerge {
  readonly sources: readonly string[];
  /** Clock; default the system's. */
  readonly clock?: {
    /** Milliseconds from any origin. */
    readonly now: () => number;
    /** Waits the given milliseconds, or until cancelled. */
    readonly sleep: (
      ms: number,
    ) => { readonly over: Promise<void>; readonly forget: () => void };
  };
}

/**
 * Longest wait of a row for older rows of other logs, and idle time after which a log is skipped, in milliseconds.
 */
const holdMs = 500;

/** Interval for checking rows that have waited long enough, in milliseconds. */
const checkMs = 100;

const most = 100_000;

interface RowHead<Row> {
  readonly queue: {
    readonly row: Row;
    readonly time: number;
    readonly heardAt: number;
  }[];
  time: number;
  heardAt: number;
}

/**
 * Sorts rows by time as they arrive. A row waits until every other log has a later one, or has been idle for {@linkcode
 * holdMs}. Keeps the order within a log.
 *
 * @param rows Rows as they arrive; items without a time pass immediately.
 */
export async function* mergeFollowed<Row, Other>(
  rows: AsyncIterable<TimedRow<Row> | { readonly other: Other }>,
  { sources, clock = realClock }: FollowedMerge,
): AsyncGenerator<readonly (Row | Other)[]> {
  const { now, sleep } = clock;
  const began = now();
  const logs = new Map(
    sources.map((source): [string, RowHead<Row>] => [
      source,
      { queue: [], time: -Infinity, heardAt: began },
    ]),
  );
  /** Logs with queued rows, the oldest first; and idle logs. */
  const heads: RowHead<Row>[] = [];
  const silent = new Set(logs.values());
  let waiting = 0;

  const mayHaveOlder = (log: RowHead<Row>, at: number) =>
    waiting <= most && log.heardAt + holdMs > at;

  function take({ source, time, row }: TimedRow<Row>): void {
    const log = logs.get(source);
    if (log === undefined) throw new Error(`Unknown log "${source}"`);
    log.heardAt = now();
    log.queue.push({ row, time, heardAt: log.heardAt });
    waiting++;
    if (!silent.delete(log)) return;
    // A clock that was set back must not delay the other logs.
    log.time = Math.max(log.time, time);
    insert(heads, log);
  }

  /** Rows that nothing older can precede. */
  function ready(at: number): readonly Row[] {
    const found: Row[] = [];
    for (const log of silent) if (mayHaveOlder(log, at)) return found;
    for (let [log] = heads; log !== undefined; [log] = heads) {
      const first = log.queue[0]!; // heads have rows
      const isLate = waiting > most || first.heardAt + holdMs <= at;
      if (silent.size > 0 && !isLate) break;
      heads.shift();
      log.queue.shift();
      waiting--;
      found.push(first.row);
      const [next] = log.queue;
      if (next !== undefined) {
        log.time = Math.max(log.time, next.time);
        insert(heads, log);
        continue;
      }
      silent.add(log);
      if (mayHaveOlder(log, at)) break;
    }
    return found;
  }

  const iterator = rows[Symbol.asyncIterator]();
  let next = iterator.next();
  let timer: ReturnType<typeof sleep> | undefined;
  try {
    for (;;) {
      const found = ready(now());
      if (found.length > 0) yield found;
      if (heads.length > 0) timer ??= sleep(checkMs);
      const arrived = await Promise.race([next, ...timer ? [timer.over] : []]);
      if (arrived === undefined) {
        timer = undefined;
        continue;
      }
      if (arrived.done) break;
      if ("other" in arrived.value) yield [arrived.value.other];
      else take(arrived.value);
      next = iterator.next();
    }
    yield ready(Infinity);
  } catch (error) {
    // A final error comes after the last line.
    yield ready(Infinity);
    throw error;
  } finally {
    timer?.forget();
    await iterator.return?.();
  }
}

/** Inserts a log into a list sorted by time. */
function insert<Row>(heads: RowHead<Row>[], log: RowHead<Row>): void {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heads[middle]!.time <= log.time) low = middle + 1; // in bounds
    else high = middle;
  }
  heads.splice(low, 0, log);
}

const realClock: Required<FollowedMerge>["clock"] = {
  now: () => performance.now(),
  sleep(ms) {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { over: promise, forget: after(ms, () => resolve()) };
  },
};
