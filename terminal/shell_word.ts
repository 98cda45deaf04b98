/** Words of command lines that are printed to be typed. */

/** Writes a word as a shell reads it. Returns the word, in single quotes where it needs them. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
