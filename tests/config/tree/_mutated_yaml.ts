/** Texts that are almost YAML. */

import fc from "fast-check";

const pieces = [
  "\n",
  "\r",
  "\t",
  " ",
  "  ",
  ": ",
  "- ",
  "? ",
  "#",
  " # c\n",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "[",
  "]",
  "{",
  "}",
  ",",
  "&a ",
  "*a",
  "<<: ",
  "!!str ",
  "!",
  "|\n",
  ">-\n",
  '"',
  "'",
  "\\",
  "~",
  "\0",
  "\ufeff",
  "\ud800",
  "é",
  "1",
  "machine:",
  "kind: ",
];

/**
 * Makes a text out of another by cutting, inserting and repeating.
 *
 * @param text Where the changes start from.
 */
export function mutants(text: string): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(text.length),
    length: fc.nat(12),
    piece: fc.constantFrom("", ...pieces),
    repeat: fc.constantFrom(1, 1, 1, 2, 150),
  });
  return fc.array(change, { minLength: 1, maxLength: 8 }).map((changes) => {
    let mutant = text;
    for (const { at, length, piece, repeat } of changes) {
      const cut = mutant.slice(at, at + length);
      mutant = mutant.slice(0, at) + (piece || cut).repeat(repeat) +
        mutant.slice(at + (piece.length % 2 === 0 ? 0 : length));
    }
    return mutant;
  });
}
