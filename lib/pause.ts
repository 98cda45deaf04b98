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
    const timer = setTimeout(finish, Math.max(0, ms));
    signal?.addEventListener("abort", finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    }
  });
}
