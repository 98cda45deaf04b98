/** Timers that cost a process nothing to begin with. */

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
