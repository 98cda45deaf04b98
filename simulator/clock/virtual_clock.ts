/** A clock that advances to the next due timer when all tasks are waiting. */

import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";

/** A virtual clock. */
export interface VirtualClock extends Clock {
  /**
   * Advances time until the work has finished; otherwise the clock stands still.
   *
   * @param work Waits on this clock, directly or indirectly.
   * @returns The result of the work.
   * @throws The error of the work.
   */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Sleeps like {@linkcode Clock.sleep}, but does not advance time on its own: if nothing else is due, time advances only
   * after a period of real time without activity, so that slow work is not mistaken for an endless wait.
   */
  readonly limit: Clock["sleep"];
  /** Advances time by a duration in milliseconds. */
  readonly pass: (ms: number) => Promise<void>;
  /**
   * Stops the clock while work takes real time: files, cryptography.
   *
   * @param work Must not wait on this clock.
   */
  readonly hold: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when all tasks are waiting, without advancing time. */
  readonly quiet: () => Promise<void>;
}

interface Sleeper {
  readonly due: number;
  /** Undefined once the wait is over. */
  wake: (() => void) | undefined;
  /** True if it does not advance time. */
  readonly isLimit: boolean;
}

/** Sleepers by due time. */
class Sleepers {
  readonly #sorted: Sleeper[] = [];

  add(sleeper: Sleeper): void {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#sorted[middle]!.due <= sleeper.due) from = middle + 1; // inside
      else to = middle;
    }
    this.#sorted.splice(from, 0, sleeper);
  }

  next(): Sleeper | undefined {
    while (this.#sorted[0] && !this.#sorted[0].wake) this.#sorted.shift();
    return this.#sorted[0];
  }

  wakeUntil(now: number): void {
    const sorted = this.#sorted;
    while (sorted[0] && sorted[0].due <= now) sorted.shift()?.wake?.();
  }
}

/** Limit for untracked slow work, in milliseconds of real time. */
const patience = 10_000;

interface VirtualClockOptions {
  /** Start time in milliseconds since 1970; default 2026-03-01T12:00:00Z. */
  readonly start?: number;
  /** Called before each jump, when all tasks are waiting; default not called. */
  readonly onQuiet?: () => void;
  /** Real time that {@linkcode VirtualClock.limit} waits for activity, in milliseconds; default 10 s. */
  readonly patienceMs?: number;
}

/** Makes a virtual clock. */
export function virtualClock(
  { start = 1_772_366_400_000, onQuiet, patienceMs = patience }:
    VirtualClockOptions = {},
): VirtualClock {
  const sleepers = new Sleepers();
  let now = start;
  let runs = 0;
  let held = 0;
  /** Counts activity. */
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
      const due = now + Math.ceil(ms); // whole milliseconds
      const sleeper: Sleeper = { due, wake: end, isLimit };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", end);
    });
  }

  /** Waits until there is no more activity without advancing time. */
  async function quiet(): Promise<void> {
    let before: number;
    do {
      before = changes;
      if (held > 0) await new Promise<void>((resolve) => released = resolve);
      await turn();
    } while (held > 0 || changes !== before);
  }

  /** Returns true if there was activity. */
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
      const next = sleepers.next();
      if (next?.isLimit && await happens()) continue;
      if (next) {
        now = Math.max(now, next.due);
        sleepers.wakeUntil(now);
        continue;
      }
      // Work outside of this clock, in real time, will sleep or finish.
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

/** Waits for the next turn of the event loop, after all ready tasks. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
