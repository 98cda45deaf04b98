/** Bounded history that readers can follow: events, log lines, resource changes. */

/** A history; positions count every item ever added, from 0. */
export interface HistoryBuffer<T> {
  /** Position of the oldest item still kept. */
  readonly first: () => number;
  /** Position the next item will get. */
  readonly end: () => number;
  /** Item at a position between first and end. */
  readonly at: (position: number) => T;
  /** Adds an item and wakes followers. */
  readonly append: (item: T) => void;
  /** Waits until there is an item at `position`. */
  readonly waitFor: (position: number, signal: AbortSignal) => Promise<void>;
}

/** Marker for a slow reader: the next item is no longer kept. */
export const overrun: unique symbol = Symbol("overrun");

/** Makes an empty history. `capacity`: minimum number of kept items. */
export function createHistory<T>(capacity: number): HistoryBuffer<T> {
  let items: T[] = [];
  let start = 0;
  const waiting = new Set<() => void>();
  const end = () => start + items.length;
  return {
    first: () => Math.max(start, end() - capacity),
    end,
    // The caller stays between `first` and `end`.
    at: (position) => items[position - start] as T,
    append(item) {
      items.push(item);
      // Truncate by half, to amortize the cost over many appends.
      if (items.length >= 2 * capacity) {
        items = items.slice(-capacity);
        start += capacity;
      }
      for (const wake of waiting) wake();
    },
    waitFor(position, signal) {
      return new Promise((resolve) => {
        if (position < end() || signal.aborted) return resolve();
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake);
      });
    },
  };
}

export interface ReadOptions {
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Ends after the existing items once aborted; default never. */
  readonly until?: AbortSignal;
}

/** Reads a history. Yields items in order; {@linkcode overrun} as the last one if the reader fell behind. */
export async function* readHistory<T>(
  series: HistoryBuffer<T>,
  from: number,
  { follow, signal, until }: ReadOptions,
): AsyncGenerator<T | typeof overrun> {
  const woken = until ? AbortSignal.any([signal, until]) : signal;
  for (let position = from; !signal.aborted; position++) {
    if (position >= series.end()) {
      if (!follow || until?.aborted) return;
      // Follow mode waits for the next item.
      await series.waitFor(position, woken);
      if (signal.aborted || position >= series.end()) return;
    }
    if (position < series.first()) return yield overrun;
    yield series.at(position);
  }
}
