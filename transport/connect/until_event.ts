/** Waits for one event of a socket, stream or HTTP/2 session. */

import type { EventEmitter } from "node:events";

/** The connection was closed before the event. */
export class ClosedError extends Error {
  override readonly name = "ClosedError";
}

/**
 * Waits for an event.
 *
 * @param emitter Emits the event, `error` or `close`.
 * @param signal Aborts the wait.
 * @throws {ClosedError} If `close` comes first.
 * @throws The error of `error`, or the abort reason.
 */
export function untilEvent(
  emitter: EventEmitter,
  event: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners: readonly [string, (error: unknown) => void][] = [
      [event, () => settleOnce(resolve)],
      ["error", (error) => settleOnce(() => reject(error))],
      ["close", () => settleOnce(() => reject(new ClosedError()))],
    ];
    const abort = () => settleOnce(() => reject(signal.reason));
    function settleOnce(settle: () => void): void {
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
