/** When waits of a step end, because the run was asked to stop. */

import type { Engine } from "./engine.ts";
import { Halt } from "./failure.ts";
import type { Frame } from "./frame.ts";
import type { OperationClock } from "../../../lib/clock.ts";

/** What ends a wait of a step. */
export function stopSignal(
  { stop }: Pick<Engine, "stop">,
  { finishing, stopPoint }: Pick<Frame, "finishing" | "stopPoint">,
): AbortSignal {
  return finishing || !stopPoint.isSafe ? stop.hard : stop.soft;
}

/** Whether a step is to end its waits. */
export function isStopping(
  engine: Pick<Engine, "stop">,
  frame: Pick<Frame, "finishing" | "stopPoint">,
): boolean {
  return stopSignal(engine, frame).aborted;
}

/** The end of a walk that is to stop. `where`: for people: `before a/b`. */
export function stopHalt(
  { stop }: Pick<Engine, "stop">,
  where: string,
): Halt {
  return stop.hard.aborted
    ? new Halt("interrupted", `interrupted ${where}`)
    : new Halt("stop", `stopped ${where}`);
}

/**
 * A signal that aborts when the time is up; disposing of it ends the wait.
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
