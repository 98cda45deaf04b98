/** Background tasks of a cluster: reboots and shutdowns. */

/** What is running in the background. */
export interface Background {
  /** Takes note of something that has started. */
  readonly work: (task: Promise<void>) => void;
  /** Waits, inside of such a task, for what may never come; meanwhile the task does not continue. */
  readonly idle: <T>(wait: Promise<T>) => Promise<T>;
  /**
   * Resolves when nothing continues any more.
   *
   * @throws What the first task that failed since the last time was rejected with.
   */
  readonly settled: () => Promise<void>;
  /**
   * Resolves when every task has come to its end, those that wait for something too.
   *
   * @throws What the first task that failed since the last time was rejected with.
   */
  readonly ended: () => Promise<void>;
}

/** Begins with nothing in progress. */
export function createBackground(): Background {
  const tasks = new Set<Promise<void>>();
  let failures: unknown[] = [];
  let active = 0;
  let idleWaiters: (() => void)[] = [];

  function enter(): void {
    active++;
  }

  function leave(): void {
    if (--active > 0) return;
    for (const wake of idleWaiters) wake();
    idleWaiters = [];
  }

  function throwFailure(): void {
    const [failure] = failures;
    failures = [];
    if (failure !== undefined) throw failure;
  }

  return {
    work(task) {
      enter();
      const watched = task
        .catch((error) => void failures.push(error))
        .finally(() => {
          tasks.delete(watched);
          leave();
        });
      tasks.add(watched);
    },
    async idle(wait) {
      leave();
      try {
        return await wait;
      } finally {
        enter();
      }
    },
    async settled() {
      do {
        if (active > 0) {
          await new Promise<void>((wake) => idleWaiters.push(wake));
        }
        // What has just ended may have woken what was waiting.
        await new Promise((resolve) => setTimeout(resolve));
      } while (active > 0);
      throwFailure();
    },
    async ended() {
      // What is running may begin something else.
      while (tasks.size > 0) await Promise.all(tasks);
      throwFailure();
    },
  };
}
