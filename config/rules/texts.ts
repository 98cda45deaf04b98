/** Sequences and mappings of texts, as a node reads them. */

import type { Cursor } from "../documents/cursor.ts";

/**
 * Texts of a sequence with the places they stand at; a node skips null elements.
 *
 * @param list Any place; nothing comes out unless a sequence stands there.
 */
export function textsOf(list: Cursor): (readonly [Cursor, string])[] {
  return list.items().flatMap((item) => {
    const text = item.text();
    return text === undefined ? [] : [[item, text] as const];
  });
}

/** Text at a place; empty when nothing stands there. */
export function textOf(place: Cursor): string {
  return place.text() ?? "";
}

/** Tells whether something stands at a place, an empty collection or text included. */
export function isGiven(place: Cursor): boolean {
  return place.node !== undefined;
}

/** Words in quotes, as hints list them: `"a", "b" or "c"`. */
export function oneOf(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  return [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)]
    .filter((part) => part !== "").join(" or ");
}
