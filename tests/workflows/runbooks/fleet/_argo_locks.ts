/** Locks of a workflow's pods: parallelism and mutexes. */

export interface Slots {
  /** Waits for one, and gives it back behind the work. */
  readonly within: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Makes them. `count`: how many. */
export function makeSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async within(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free++;
        else next();
      }
    },
  };
}

/** Mutexes of a namespace. */
export interface Locks {
  /** Waits until none of these is taken, and gives them back behind the work. */
  readonly within: <T>(
    names: readonly string[],
    work: () => Promise<T>,
  ) => Promise<T>;
}

/** Makes mutexes that nobody has. */
export function makeLocks(): Locks {
  const known = new Map<string, Slots>();
  async function within<T>(
    names: readonly string[],
    work: () => Promise<T>,
  ): Promise<T> {
    const [first, ...others] = names;
    if (first === undefined) return await work();
    const slots = known.get(first) ?? makeSlots(1);
    known.set(first, slots);
    return await slots.within(() => within(others, work));
  }
  return { within };
}
