/** A sleep that can be aborted. */

/**
 * Waits.
 *
 * @param ms Milliseconds; 0 or less resolves at the next turn of the event loop.
 * @param signal Aborts the wait; the promise then resolves.
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
