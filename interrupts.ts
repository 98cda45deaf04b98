/**
 * Interrupts of this process: handlers, and the default action without one.
 *
 * Handlers run only between two turns of the event loop. Without a handler an interrupt ends the process at once, even
 * during a computation; so handlers are removed for the rest of a turn with a long computation. Earlier signals are
 * still delivered.
 */

/** Longer texts take more than some hundredths of a second to read, in characters. */
export const longText = 100_000;

const listeners = new Map<Deno.Signal, () => void>();

let isAside = false;

/** Number of holders whose work an interrupt must not cut short. */
let kept = 0;

/**
 * Adds a handler for interrupts.
 *
 * @param signals Signals; existing handlers stay.
 * @param act Called with the signal.
 */
export function onInterrupt<Name extends Deno.Signal>(
  signals: readonly Name[],
  act: (signal: Name) => void,
): void {
  listenAgain();
  for (const signal of signals) {
    if (listeners.has(signal)) continue;
    const listener = () => act(signal);
    listeners.set(signal, listener);
    Deno.addSignalListener(signal, listener);
  }
}

/** Announces a long computation: until the event loop turns, an interrupt ends the process at once. */
export function computing(): void {
  if (isAside || kept > 0 || listeners.size === 0) return;
  isAside = true;
  for (const [signal, listener] of listeners) {
    Deno.removeSignalListener(signal, listener);
  }
  // Must be the only callback at the end of this turn, before the loop delivers earlier signals.
  // Not imported: its first use takes at least 10 ms, a cost only for long computations.
  // deno-lint-ignore no-process-global
  process.nextTick(listenAgain);
}

/**
 * Keeps handlers during long computations too: for work that must finish or be reported.
 *
 * @returns Releases the handlers.
 */
export function keepInterruptHandler(): () => void {
  kept++;
  listenAgain();
  let isOver = false;
  return () => {
    if (!isOver) kept--;
    isOver = true;
  };
}

function listenAgain(): void {
  if (!isAside) return;
  isAside = false;
  for (const [signal, listener] of listeners) {
    Deno.addSignalListener(signal, listener);
  }
}
