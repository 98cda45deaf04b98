/** Signals that end the waits of a step on a stop request. */

import type { Engine } from "./engine.ts";
import { Halt } from "./failure.ts";
import type { Frame } from "./frame.ts";
import type { OperationClock } from "../../../lib/clock.ts";

/** Signal that ends the waits of a step. */
export function stopSignal(
  { stop }: Pick<Engine, "stop">,
  { finishing, stopPoint }: Pick<Frame, "finishing" | "stopPoint">,
): AbortSignal {
  return finishing || !stopPoint.isSafe ? stop.hard : stop.soft;
}

/** Reports whether a step must end its waits. */
export function isStopping(
  engine: Pick<Engine, "stop">,
  frame: Pick<Frame, "finishing" | "stopPoint">,
): boolean {
  return stopSignal(engine, frame).aborted;
}

/** Makes the halt for a stop request. `where`: for display: `before a/b`. */
export function stopHalt(
  { stop }: Pick<Engine, "stop">,
  where: string,
): Halt {
  return stop.hard.aborted
    ? new Halt("interrupted", `interrupted ${where}`)
    : new Halt("stop", `stopped ${where}`);
}

/**
 * Makes a signal that aborts at a timeout; disposing of it clears the timer.
 *
 * @param ms Milliseconds; no limit when absent.
 */
export function timeLimit(
  clock: OperationClock,
  ms: number | undefined,
): Disposable & { readonly signal: AbortSignal } {
  const [cancel, late] = [new AbortController(), new AbortController()];
  if (ms !== undefined) {
    clock.sleep(ms, cancel.signal).then(() => {
      if (cancel.signal.aborted) return;
      late.abort(new DOMException("", "TimeoutError"));
    });
  }
  return { signal: late.signal, [Symbol.dispose]: () => cancel.abort() };
}
