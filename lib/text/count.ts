/** Formats a count with its noun: `1 node`, `3 nodes`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
