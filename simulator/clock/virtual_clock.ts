/** A clock that jumps to whatever is due next when everybody waits. */

import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";

/** A virtual clock. */
export interface VirtualClock extends Clock {
  /**
   * Lets time continue until some work has ended; otherwise it stands still.
   *
   * @param work What waits on this clock, or on what waits on it.
   * @returns What the work gives.
   * @throws What it throws.
   */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Waits as {@linkcode Clock.sleep} does, but not for the sake of itself: where nothing else is due, time continues only
   * after a while of real time in which nothing has happened, so that slow work is not taken for a wait without end.
   */
  readonly limit: Clock["sleep"];
  /** Lets an amount of time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /**
   * Keeps time from continuing while something takes real time: files, cryptography.
   *
   * @param work That; it must not wait on this clock.
   */
  readonly hold: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when everybody waits; time does not continue for that. */
  readonly quiet: () => Promise<void>;
}

interface Sleeper {
  readonly due: number;
  /** Absent once the wait is over. */
  wake: (() => void) | undefined;
  /** True when time does not continue for its sake. */
  readonly isLimit: boolean;
}

/** How long slow work may take that nothing is known of, in milliseconds of real time. */
const patience = 10_000;

/** Makes a clock that stands still. */
export function virtualClock(
  { start = 1_772_366_400_000, onQuiet, patienceMs = patience }: {
    /** The first moment, in milliseconds since 1970; default 2026-03-01T12:00:00Z. */
    readonly start?: number;
    /** Called before every jump, when everything waits; default not called. */
    readonly onQuiet?: () => void;
    /** How long in real time {@linkcode VirtualClock.limit} waits for something to happen, default 10 s. */
    readonly patienceMs?: number;
  } = {},
): VirtualClock {
  /** In the order in which they are due. */
  const sleepers: Sleeper[] = [];
  let now = start;
  let runs = 0;
  let held = 0;
  /** Counts whatever happens. */
  let changes = 0;
  let isDriven = false;
  let released = () => {};
  let wakeDriver = () => {};

  function noteChange(): void {
    changes++;
    wakeDriver();
  }

  const sleep: Clock["sleep"] = (ms, signal) => wait(ms, signal, false);

  function wait(
    ms: number,
    signal: AbortSignal | undefined,
    isLimit: boolean,
  ): Promise<void> {
    noteChange();
    if (ms <= 0) return turn();
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        sleeper.wake = undefined;
        signal?.removeEventListener("abort", end);
        noteChange();
        resolve();
      };
      const due = now + Math.ceil(ms); // moments are whole
      const sleeper: Sleeper = { due, wake: end, isLimit };
      sleepers.splice(indexFor(sleepers, sleeper.due), 0, sleeper);
      signal?.addEventListener("abort", end);
    });
  }

  /** Waits until nothing happens any more without time advancing. */
  async function quiet(): Promise<void> {
    let before: number;
    do {
      before = changes;
      if (held > 0) await new Promise<void>((resolve) => released = resolve);
      await turn();
    } while (held > 0 || changes !== before);
  }

  function jump(): boolean {
    while (sleepers[0] && !sleepers[0].wake) sleepers.shift();
    const [next] = sleepers;
    if (!next) return false;
    now = Math.max(now, next.due);
    while (sleepers[0] && sleepers[0].due <= now) sleepers.shift()?.wake?.();
    return true;
  }

  /** True when something has happened. */
  async function happens(): Promise<boolean> {
    const before = changes;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      wakeDriver = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wakeDriver = () => {};
    return changes !== before;
  }

  async function drive(): Promise<void> {
    isDriven = true;
    while (runs > 0) {
      await quiet();
      if (runs === 0) break;
      onQuiet?.();
      const next = sleepers.find(({ wake }) => wake !== undefined);
      if (next?.isLimit && await happens()) continue;
      if (jump()) continue;
      // What is done outside, in real time, will sleep or end.
      await new Promise<void>((resolve) => wakeDriver = resolve);
      wakeDriver = () => {};
    }
    isDriven = false;
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    runs++;
    if (!isDriven) drive();
    try {
      return await work();
    } finally {
      runs--;
      noteChange();
    }
  }

  async function hold<T>(work: Promise<T>): Promise<T> {
    held++;
    try {
      return await work;
    } finally {
      held--;
      noteChange();
      if (held === 0) released();
    }
  }

  return {
    now: () => now,
    sleep,
    limit: (ms, signal) => wait(ms, signal, true),
    run,
    pass: (ms) => run(() => sleep(ms)),
    hold,
    quiet,
  };
}

function indexFor(sleepers: readonly Sleeper[], due: number): number {
  let [from, to] = [0, sleepers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sleepers[middle]!.due <= due) from = middle + 1; // inside
    else to = middle;
  }
  return from;
}

/** The next turn of the event loop, after everything that is ready. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
