import { NodesError } from "../../errors.ts";
import type { TimedLine } from "./log_selection.ts";

interface LogSource {
  readonly node: string;
  readonly log: string;
  /** Its lines, oldest first, in batches. */
  readonly lines: AsyncIterable<readonly TimedLine[]>;
}

interface MergedLine extends TimedLine {
  readonly node: string;
  readonly log: string;
}

interface LogHead {
  readonly source: LogSource;
  readonly iterator: AsyncIterator<readonly TimedLine[]>;
  /** Position in the list of sources; breaks ties. */
  readonly index: number;
  batch: readonly TimedLine[];
  at: number;
  time: number;
}

const most = 500;

/**
 * Merges logs by time with minimal read-ahead. Keeps the order within a log.
 *
 * @param sources Logs; the logs of a failed node end with its first failure.
 * @param total Number of queried nodes.
 * @throws {NodesError} After the last line, naming every node that failed.
 */
export async function* mergeLogs(
  sources: readonly LogSource[],
  total: number,
): AsyncGenerator<readonly MergedLine[]> {
  const failures = new Map<string, unknown>();
  const all: LogHead[] = sources.map((source, index) => ({
    source,
    iterator: source.lines[Symbol.asyncIterator](),
    index,
    batch: [],
    at: 0,
    time: -Infinity,
  }));

  /** Advances to the next line; false at the end. */
  async function advance(head: LogHead): Promise<boolean> {
    head.at++;
    try {
      while (head.at >= head.batch.length) {
        const next = await head.iterator.next();
        if (next.done) return false;
        head.batch = next.value;
        head.at = 0;
      }
    } catch (error) {
      const { node } = head.source;
      if (!failures.has(node)) failures.set(node, error);
      return false;
    }
    // A clock that was set back must not delay the other logs.
    head.time = Math.max(head.time, head.batch[head.at]?.time ?? -Infinity);
    return true;
  }

  try {
    const filled = await Promise.all(all.map(advance));
    const heads = all.filter((_, index) => filled[index]).sort(byTime);
    let rows: MergedLine[] = [];
    for (let first = heads.shift(); first; first = heads.shift()) {
      const { node, log } = first.source;
      const timed = first.batch[first.at]!; // at a line after advance()
      rows.push({ node, log, ...timed });
      if (rows.length >= most) {
        yield rows;
        rows = [];
      }
      if (await advance(first)) insert(heads, first);
    }
    if (rows.length > 0) yield rows;
  } finally {
    await Promise.all(all.map(({ iterator }) => iterator.return?.()));
  }
  if (failures.size > 0) throw new NodesError(failures, total);
}

function byTime(a: LogHead, b: LogHead): number {
  // Both may be infinite.
  if (a.time === b.time) return a.index - b.index;
  return a.time < b.time ? -1 : 1;
}

function insert(heads: LogHead[], head: LogHead): void {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = heads[middle]!; // in bounds
    if (byTime(other, head) < 0) low = middle + 1;
    else high = middle;
  }
  heads.splice(low, 0, head);
}
