/** Counts, and lists of which the rest is counted. */

/** Formats a count with its noun: `1 node`, `3 nodes`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins the first of many texts, and counts the others: `a, b, c, and 2 more`. */
export function formatFirst(
  texts: readonly string[],
  separator = ", ",
  most = 3,
): string {
  const first = texts.slice(0, most).join(separator);
  return texts.length > most
    ? `${first}${separator}and ${texts.length - most} more`
    : first;
}
