/** Word that something about etcd is different now. */

/** Tells of changes. */
export interface EtcdChanges {
  /** Says that something has changed. */
  readonly tell: () => void;
  /** How often something has changed. */
  readonly count: () => number;
  /**
   * Waits until something has changed more often than that.
   *
   * @param count What {@linkcode count} was.
   * @param signal Ends the wait early; the promise then resolves.
   */
  readonly beyond: (count: number, signal: AbortSignal) => Promise<void>;
}

/** Begins without changes. */
export function createChanges(): EtcdChanges {
  const waiting = new Set<() => void>();
  let changes = 0;
  return {
    tell() {
      changes++;
      for (const wake of waiting) wake();
    },
    count: () => changes,
    beyond(count, signal) {
      return new Promise((resolve) => {
        if (changes > count || signal.aborted) return resolve();
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake);
      });
    },
  };
}
