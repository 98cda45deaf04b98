/** Places in runbooks that a program has made: what stands where is said by paths. */

import { pathText } from "../../../../config/documents/problem.ts";
import type { ConfigNode, Place } from "../../../../config/tree/node.ts";
import type { Mistake } from "../problem.ts";

/** Paths of the parts of a document by their places. */
export type Paths = ReadonlyMap<string, string>;

/** Finds the path of every part of a document. */
export function pathsOf(root: ConfigNode): Paths {
  const paths = new Map<string, string>();
  function walk(node: ConfigNode, path: readonly (string | number)[]): void {
    note(node.at, path);
    if (node.kind === "list") {
      node.items.forEach(({ value }, index) => walk(value, [...path, index]));
    }
    if (node.kind !== "map") return;
    for (const { key, at, value } of node.entries) {
      note(at, [...path, key]);
      walk(value, [...path, key]);
    }
  }
  function note(at: Place | undefined, path: readonly (string | number)[]) {
    if (at !== undefined) paths.set(keyOf(at), pathText(path));
  }
  walk(root, []);
  return paths;
}

/** Says where a mistake is by a path, since nobody has seen the lines of the document. */
export function inProgram(mistake: Mistake, paths: Paths): Mistake {
  const { place, message } = mistake;
  const path = paths.get(keyOf(place)) ?? "";
  return {
    ...mistake,
    place: { file: place.file, line: 1, column: 1 },
    message: path === "" ? message : `${path}: ${message}`,
  };
}

function keyOf({ line, column }: Place): string {
  return `${line}:${column}`;
}
