/** Waiting for one event of a socket, a stream or an HTTP/2 session. */

import type { EventEmitter } from "node:events";

/** The other side closed before what was waited for came. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
}

/**
 * Waits for an event.
 *
 * @param emitter Emits it, or `error`, or `close`.
 * @param signal Ends the wait.
 * @throws {ClosedError} If it closed before.
 * @throws What `error` carried, or the reason of the signal.
 */
export function untilEvent(
  emitter: EventEmitter,
  event: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners: readonly [string, (error: unknown) => void][] = [
      [event, () => done(resolve)],
      ["error", (error) => done(() => reject(error))],
      ["close", () => done(() => reject(new ClosedError()))],
    ];
    const abort = () => done(() => reject(signal.reason));
    function done(settle: () => void): void {
      signal.removeEventListener("abort", abort);
      for (const [name, listener] of listeners) {
        emitter.removeListener(name, listener);
      }
      settle();
    }
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", abort);
    for (const [name, listener] of listeners) emitter.once(name, listener);
  });
}
