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

/**
 * Divides a long computation: signals are only heard, and sockets served, between two turns of the event loop.
 *
 * @param signal Ends the computation.
 * @returns Called between its parts; gives a promise when much was computed since the pause before.
 */
export function breather(
  signal: Pick<AbortSignal, "throwIfAborted">,
): () => Promise<void> | undefined {
  // The first part has waited for something that is no computation.
  let last: number | undefined;
  return () => {
    const now = performance.now();
    last ??= now;
    if (now - last < breathMs) return undefined;
    return new Promise<void>((resolve) => after(0, resolve)).then(() => {
      last = performance.now();
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
  const breathe = breather(signal ?? { throwIfAborted() {} });
  breathe();
  computing();
  let part = parts.next();
  for (; !part.done; part = parts.next()) {
    await breathe();
    computing();
  }
  return part.value;
}
