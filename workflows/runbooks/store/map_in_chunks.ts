/** Work on many files, a few at a time: a system lets a process open only so many. */

const atOnce = 16;

/**
 * Does work on each of several things, a few at a time.
 *
 * @returns Results in the order of the things; those behind are not started before they are asked for.
 */
export async function* mapInChunks<Thing, Result>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<Result>,
): AsyncGenerator<Result> {
  for (let from = 0; from < things.length; from += atOnce) {
    // A chunk follows the one before.
    yield* await Promise.all(things.slice(from, from + atOnce).map(work));
  }
}
