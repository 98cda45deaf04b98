/** Bounded concurrency for many files: a process can only open so many. */

const atOnce = 16;

/**
 * Maps items, a few at a time.
 *
 * @returns Results in order; later items are only started when the caller continues.
 */
export async function* mapInChunks<Thing, Result>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<Result>,
): AsyncGenerator<Result> {
  for (let from = 0; from < things.length; from += atOnce) {
    // Chunks are sequential.
    yield* await Promise.all(things.slice(from, from + atOnce).map(work));
  }
}
