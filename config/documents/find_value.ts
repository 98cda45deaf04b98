/** Values that are in one document or another, depending on the version. */

import type { ConfigNode, MapEntry, Place } from "../tree/node.ts";
import { type Cursor, toCursor } from "./cursor.ts";
import { type ConfigDocument, mainKind } from "./load.ts";

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

/** Finds the installer image; `undefined` if the configuration names none. */
export function findInstaller(
  documents: readonly ConfigDocument[],
): string | undefined {
  return findText(
    documents,
    ["UnattendedInstallConfig", "installer", "image"],
    [mainKind, "machine", "install", "image"],
  );
}

/**
 * Position of a value by its path, such as `machine.nodeLabels."a b"` or `list[0]`; of the value around it if there is
 * no such value.
 */
export function findPosition(
  root: ConfigNode,
  path: string,
): Place | undefined {
  let node: ConfigNode | undefined = root;
  let place: Place | undefined;
  for (const [step] of path.matchAll(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g)) {
    const key = step.startsWith('"') ? JSON.parse(step) : step;
    const entry: MapEntry | undefined = node?.kind === "map"
      ? node.entries.find((one) => one.key === key)
      : undefined;
    node = node?.kind === "list"
      ? node.items[Number(key)]?.value
      : entry?.value;
    place = entry?.at ?? node?.at;
  }
  return place;
}
