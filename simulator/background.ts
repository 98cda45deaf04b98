/** Things that go on in a cluster while nobody waits for them: reboots and shutdowns. */

/** What goes on in the background. */
export interface Background {
  /** Takes note of something that has begun. */
  readonly work: (task: Promise<void>) => void;
  /**
   * Resolves when nothing goes on any more.
   *
   * @throws What the first task that failed since the last time was rejected with.
   */
  readonly settled: () => Promise<void>;
}

/** Begins with nothing going on. */
export function createBackground(): Background {
  const tasks = new Set<Promise<void>>();
  let failures: unknown[] = [];
  return {
    work(task) {
      const watched = task
        .catch((error) => void failures.push(error))
        .finally(() => tasks.delete(watched));
      tasks.add(watched);
    },
    async settled() {
      // What goes on may begin something else.
      while (tasks.size > 0) await Promise.all(tasks);
      const [failure] = failures;
      failures = [];
      if (failure !== undefined) throw failure;
    },
  };
}
