/** Timers without start-up cost, and pauses in long computations. */

import { computing } from "../interrupts.ts";

/** Longest delay of the runtime's timers, in milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * Runs a function later.
 *
 * The first `setTimeout` of a process loads modules, which takes half as long as an empty program.
 *
 * @param ms Delay in milliseconds.
 * @returns Cancels it.
 */
export function after(ms: number, run: () => void): () => void {
  const signal = AbortSignal.timeout(Math.min(ms, longest));
  signal.addEventListener("abort", run);
  return () => signal.removeEventListener("abort", run);
}

/** Longest time without a pause in a computation, in milliseconds; an indivisible part may take longer. */
const breathMs = 50;

/** Pauses of a computation that ends soon, such as a table of 500 nodes. */
const briefPauses = 2;

/** Processor time of this process at the end of the last recorded wait, in milliseconds. */
let usedBefore = 0;

/** Records that the event loop has turned, regardless of computation in other threads. */
export function noteWait(): void {
  usedBefore = usedMs();
}

/**
 * Processor time of this process in microseconds. The runtime has it outside of its types; the Node.js function loads
 * as much as a pause would.
 */
const cpuUsage:
  | (() => { readonly system: number; readonly user: number })
  | undefined = Reflect.get(Deno, "cpuUsage");

/** Processor time of this process in milliseconds; elapsed time where it is unavailable. */
function usedMs(): number {
  if (cpuUsage === undefined) return performance.now();
  const { system, user } = cpuUsage();
  return (system + user) / 1000;
}

/**
 * Splits a long computation: signals and sockets are served only between two turns of the event loop.
 *
 * @param signal Aborts the computation.
 * @returns Called between parts; returns a promise when enough was computed since the last pause.
 */
export function yieldPeriodically(
  signal: Pick<AbortSignal, "throwIfAborted">,
): () => Promise<void> | undefined {
  let last = 0;
  let used: number | undefined;
  let pauses = 0;
  return () => {
    const now = performance.now();
    // The first part waited for I/O.
    if (used === undefined) {
      last = now;
      used = usedMs();
    }
    if (now - last < breathMs) return undefined;
    // Waiting for responses is not computation, and a pause loads as much as an empty program.
    const computed = usedMs() - Math.max(used, usedBefore);
    if (computed < breathMs) {
      last = now - computed;
      return undefined;
    }
    return new Promise<void>((resolve) => after(0, resolve)).then(() => {
      last = performance.now();
      used = usedMs();
      signal.throwIfAborted();
      // A computation that took long will continue. A shorter one ends before this would save time: it loads a part of
      // Node.js, as long as an empty program.
      if (++pauses > briefPauses) computing();
    });
  };
}

/**
 * Runs a computation that pauses between its parts, and handles signals there.
 *
 * @param signal Aborts the computation; default none.
 * @returns Result of the computation.
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
