/** Suggestions for misspelled words. */

/**
 * Finds the known word that a user most likely meant, or `undefined` if none is near: the shortest
 * that begins so, otherwise the one with the fewest wrong letters.
 */
export function nearest(
  wrong: string,
  known: Iterable<string>,
): string | undefined {
  const limit = Math.max(1, Math.floor(wrong.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const word of known) {
    const isBeginning = word.startsWith(wrong) && wrong.length > 1;
    // The lengths bound the distance, and long words take long to compare.
    if (!isBeginning && Math.abs(word.length - wrong.length) > limit) continue;
    const distance = isBeginning
      ? 1 - wrong.length / word.length
      : editDistance(wrong, word);
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/**
 * Counts the letters to add, drop, change or swap with a neighbour to turn one word into the other
 * (optimal string alignment distance).
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
