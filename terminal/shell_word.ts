/** Quoting for printed command lines. */

/** Quotes a word for a shell. Returns the word, in single quotes if needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
