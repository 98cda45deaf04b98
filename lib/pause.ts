/** Waiting that can be ended early. */

/**
 * Waits.
 *
 * @param ms How long; 0 or less returns at the next turn of the event loop.
 * @param signal Ends the wait early; the promise then resolves.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, Math.max(0, ms));
    signal?.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
