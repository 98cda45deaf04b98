/** Lines of many logs that are followed, in the order of time as far as that does not hold them up. */

import { after } from "../../lib/timer.ts";

/** A row of one log. */
export interface TimedRow<Row> {
  /** Its log: `node/name`. */
  readonly source: string;
  /** When it was written, in milliseconds since 1970; -Infinity if no line of the log has said. */
  readonly time: number;
  readonly row: Row;
}

interface FollowedMerge {
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

/** How long a row waits for older ones of other logs, in milliseconds, and how long a log has to be silent to have none. */
const holdMs = 500;

/** How often it is checked which rows have waited long enough, in milliseconds. */
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
 * Sorts rows by time as they come. A row waits until every other log has a later one, or for {@linkcode holdMs} in
 * which nothing comes of those that have none. The order within a log is kept.
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
    sources.map((source): [string, RowHead<Row>] => [
      source,
      { queue: [], time: -Infinity, heardAt: began },
    ]),
  );
  /** Logs that have rows, that with the oldest first; and those that have none. */
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
    // A clock that was set back does not hold up the other logs.
    log.time = Math.max(log.time, time);
    insert(heads, log);
  }

  /** Rows for which nothing older can come. */
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
    // What ends all of them is said after the last line.
    yield ready(Infinity);
    throw error;
  } finally {
    timer?.forget();
    await iterator.return?.();
  }
}

/** Puts a log among others that are sorted by time. */
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
