/** Lines of many logs that are followed, in the order of time as far as that does not hold them up. */

import { after } from "../../transport/timer.ts";

/** A row of one log. */
export interface TimedRow<Row> {
  /** Its log: `node/name`. */
  readonly source: string;
  /** When it was written, in milliseconds since 1970; -Infinity if no line of the log has said. */
  readonly time: number;
  /** The row. */
  readonly row: Row;
}

/** How rows are merged. */
export interface FollowedMerge {
  /** All logs. */
  readonly sources: readonly string[];
  /** Time; default the real one. */
  readonly clock?: {
    /** Milliseconds since any moment. */
    readonly now: () => number;
    /** Waits so many milliseconds, unless that is forgotten. */
    readonly sleep: (
      ms: number,
    ) => { readonly over: Promise<void>; readonly forget: () => void };
  };
}

/** Longest time for which rows wait for a log that may still have an older one, in milliseconds. */
export const holdMs = 500;

/** Most rows that wait. */
const most = 100_000;

interface Head<Row> {
  readonly queue: TimedRow<Row>[];
  time: number;
  heardAt: number;
}

/**
 * Sorts rows by time as they come. A row waits until every other log has a later one, or has been silent for
 * {@linkcode holdMs}: old lines come in the order of time, and new ones at once or a little later. The order within a
 * log is kept.
 *
 * @param rows Rows as they come; what is no timed row passes at once.
 */
export async function* mergeFollowed<Row, Other>(
  rows: AsyncIterable<TimedRow<Row> | { readonly other: Other }>,
  { sources, clock = realClock }: FollowedMerge,
): AsyncGenerator<readonly (Row | Other)[]> {
  const { now, sleep } = clock;
  const began = now();
  const logs = new Map(
    sources.map((source): [string, Head<Row>] => [
      source,
      { queue: [], time: -Infinity, heardAt: began },
    ]),
  );
  /** Logs that have rows, that with the oldest first; and those that have none. */
  const heads: Head<Row>[] = [];
  const silent = new Set(logs.values());
  let waiting = 0;

  const mayHaveOlder = (log: Head<Row>, at: number) =>
    waiting <= most && log.heardAt + holdMs > at;

  function take({ source, ...timed }: TimedRow<Row>): void {
    const log = logs.get(source);
    if (log === undefined) throw new Error(`Unknown log "${source}"`);
    log.heardAt = now();
    log.queue.push({ source, ...timed });
    waiting++;
    if (!silent.delete(log)) return;
    // A clock that was set back does not hold up the other logs.
    log.time = Math.max(log.time, timed.time);
    insert(heads, log);
  }

  /** Rows for which nothing older can come. */
  function ready(at: number): readonly Row[] {
    const found: Row[] = [];
    if ([...silent].some((log) => mayHaveOlder(log, at))) return found;
    for (let log = heads.shift(); log; log = heads.shift()) {
      const { row } = log.queue.shift()!; // heads have rows
      waiting--;
      found.push(row);
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
      // One for many rows: it may end earlier than it has to, or a little later.
      if (heads.length > 0) timer ??= sleep(holdMs);
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
    // What ends all of them is said after the last line.
    yield ready(Infinity);
    throw error;
  } finally {
    timer?.forget();
    await iterator.return?.();
  }
}

/** Puts a log among others that are sorted by time. */
function insert<Row>(heads: Head<Row>[], log: Head<Row>): void {
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
