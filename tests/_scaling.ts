/** Growth of the work of a function with its input: a count that is the same on slow and busy machines. */

/** Least processor time that can be compared, in milliseconds: the kernel counts in steps of up to four. */
const leastMs = 20;

/**
 * Compares the processor time of work with that of four times as much.
 *
 * @param work Does it; the size is a number of things.
 * @param size The smaller size.
 * @returns About 4 when the time is proportional to the size, 16 when it grows with its square.
 */
export async function growth(
  work: (size: number) => void | Promise<void>,
  size: number,
): Promise<number> {
  async function measureTime(wanted: number, times: number): Promise<number> {
    const began = threadMs();
    // One after the other: they would disturb each other.
    for (let turn = 0; turn < times; turn++) await work(wanted);
    return threadMs() - began;
  }
  let times = 1;
  let small = await measureTime(size, times);
  while (small < leastMs) small = await measureTime(size, times *= 2);
  const grown = await measureTime(4 * size, times) / small;
  if (grown < proportional) return grown;
  // Compilation and garbage collection count in neither.
  small = await measureTime(size, times);
  return Math.min(grown, await measureTime(4 * size, times) / small);
}

/** Bound that what is proportional stays below, and what is square is far above. */
export const proportional = 9;

/** Processor time of this thread, in milliseconds; where Linux does not say it, the time that has passed. */
function threadMs(): number {
  if (Deno.build.os !== "linux") return performance.now();
  const [nanoseconds = ""] = Deno
    .readTextFileSync("/proc/thread-self/schedstat").split(" ");
  return Number(nanoseconds) / 1e6;
}
