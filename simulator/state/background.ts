/** Background tasks of a cluster: reboots and shutdowns. */

/** Background tasks. */
export interface Background {
  /** Registers a started task. */
  readonly work: (task: Promise<void>) => void;
  /** Waits within a task for an event that may never happen; meanwhile the task counts as idle. */
  readonly idle: <T>(wait: Promise<T>) => Promise<T>;
  /**
   * Resolves when all tasks are finished or idle.
   *
   * @throws The error of the first task that failed since the last call.
   */
  readonly settled: () => Promise<void>;
  /**
   * Resolves when every task is finished, including idle ones.
   *
   * @throws The error of the first task that failed since the last call.
   */
  readonly ended: () => Promise<void>;
}

/** Makes a tracker without tasks. */
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
        // A finished task may have woken idle ones.
        await new Promise((resolve) => setTimeout(resolve));
      } while (active > 0);
      throwFailure();
    },
    async ended() {
      // Running tasks may start others.
      while (tasks.size > 0) await Promise.all(tasks);
      throwFailure();
    },
  };
}
