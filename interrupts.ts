/**
 * Interrupts of this process: who hears of them, and when they end it by themselves.
 *
 * A listener is called between two turns of the event loop only. Without one an interrupt ends the process at once,
 * whatever it computes; so listeners are put aside for the rest of a turn in which much is computed. What arrived
 * before that is still heard of.
 */

/** Texts with more characters take more than some hundredths of a second to read. */
export const longText = 100_000;

const listeners = new Map<Deno.Signal, () => void>();

let isAside = false;

/** How many have something to finish that an interrupt must not cut off. */
let kept = 0;

/**
 * Hears of interrupts from now on.
 *
 * @param signals Signals; those that are heard of already stay as they are.
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

/** Tells that much will be computed before the event loop turns: until then an interrupt ends the process at once. */
export function computing(): void {
  if (isAside || kept > 0 || listeners.size === 0) return;
  isAside = true;
  for (const [signal, listener] of listeners) {
    Deno.removeSignalListener(signal, listener);
  }
  // It is the only one to be called at the end of this turn: before the loop tells listeners of what arrived earlier.
  // Not imported: its first use takes 10 ms and more, which only those pay who compute much.
  // deno-lint-ignore no-process-global
  process.nextTick(listenAgain);
}

/**
 * Keeps hearing of interrupts, also while much is computed: for those who have begun what they have to finish, or tell
 * of.
 *
 * @returns Ends that.
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
