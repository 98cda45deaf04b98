/** Values that are in one document or another, depending on the version. */

import { type Cursor, toCursor } from "./cursor.ts";
import type { ConfigDocument } from "./load.ts";

/** Where a value may be: the kind of a document, and keys from its root. */
type ValuePlace = readonly [kind: string, ...keys: readonly string[]];

/** Finds a place; `undefined` if there is no such document. */
export function findPlace(
  documents: readonly ConfigDocument[],
  [wanted, ...keys]: ValuePlace,
): Cursor | undefined {
  const root = documents.find(({ kind }) => kind === wanted)?.root;
  return root && toCursor(root).get(...keys);
}

/** Finds the first text that is set and not empty. */
export function findText(
  documents: readonly ConfigDocument[],
  ...places: readonly ValuePlace[]
): string | undefined {
  return places.map((place) => findPlace(documents, place)?.text())
    .find((text) => text !== undefined && text !== "");
}
