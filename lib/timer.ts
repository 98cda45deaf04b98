/** Timers that cost a process nothing to begin with, and pauses in long computations. */

import { computing } from "../interrupts.ts";

/** Longest time the runtime's timers take, in milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * Runs something later.
 *
 * The first `setTimeout` of a process loads what all of them need, which takes half as long as an empty program does.
 *
 * @param ms When, in milliseconds.
 * @returns Forgets it.
 */
export function after(ms: number, run: () => void): () => void {
  const signal = AbortSignal.timeout(Math.min(ms, longest));
  signal.addEventListener("abort", run);
  return () => signal.removeEventListener("abort", run);
}

/** Longest part of a computation that nothing interrupts, in milliseconds; one that cannot be divided takes longer. */
const breathMs = 50;

/** Processor time of this process at the end of the last wait that was told of, in milliseconds. */
let usedBefore = 0;

/** Tells that the event loop has turned meanwhile, whatever other threads have computed. */
export function waited(): void {
  usedBefore = usedMs();
}

/**
 * Processor time of this process in microseconds, which the runtime has outside of its types; that of Node.js loads what
 * a pause would.
 */
const cpuUsage:
  | (() => { readonly system: number; readonly user: number })
  | undefined = Reflect.get(Deno, "cpuUsage");

/** Processor time of this process in milliseconds; where there is none, time. */
function usedMs(): number {
  if (cpuUsage === undefined) return performance.now();
  const { system, user } = cpuUsage();
  return (system + user) / 1000;
}

/**
 * Divides a long computation: signals are only heard, and sockets served, between two turns of the event loop.
 *
 * @param signal Ends the computation.
 * @returns Called between its parts; gives a promise when much was computed since the pause before.
 */
export function yieldPeriodically(
  signal: Pick<AbortSignal, "throwIfAborted">,
): () => Promise<void> | undefined {
  let last = 0;
  let used: number | undefined;
  return () => {
    const now = performance.now();
    // The first part has waited for something that is no computation.
    if (used === undefined) {
      last = now;
      used = usedMs();
    }
    if (now - last < breathMs) return undefined;
    // Nor is the rest while answers are waited for, and a pause loads what takes as long as an empty program.
    const computed = usedMs() - Math.max(used, usedBefore);
    if (computed < breathMs) {
      last = now - computed;
      return undefined;
    }
    return new Promise<void>((resolve) => after(0, resolve)).then(() => {
      last = performance.now();
      used = usedMs();
      signal.throwIfAborted();
      // What took long once goes on.
      computing();
    });
  };
}

/**
 * Runs a computation that stops between its parts, and hears signals there.
 *
 * @param signal Ends the computation; default nothing does.
 * @returns What it returns.
 */
export async function inParts<T>(
  parts: Iterator<void, T>,
  signal?: Pick<AbortSignal, "throwIfAborted">,
): Promise<T> {
  const breathe = yieldPeriodically(signal ?? { throwIfAborted() {} });
  breathe();
  computing();
  let part = parts.next();
  for (; !part.done; part = parts.next()) {
    await breathe();
    computing();
  }
  return part.value;
}
