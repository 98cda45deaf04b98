/** Lists as people type them. */

/** Splits arguments at commas and drops blanks and empty parts. */
export function listed(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
