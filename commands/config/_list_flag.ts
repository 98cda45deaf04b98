/** Parses lists on the command line. */

/** Splits arguments at commas, and removes whitespace and empty parts. */
export function parseList(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
