/** Source positions of the parts of a runbook, kept apart from the intermediate form, which is plain JSON. */

import {
  type ConfigNode,
  findChild,
  type Place,
} from "../../../config/tree/node.ts";
import type { SourcePosition } from "../runbook.ts";
import { pathText } from "../../../config/documents/problem.ts";
import type { SourceProblem } from "./problem.ts";
import type { Call, ProgramPlace } from "./typescript/sandbox.ts";

/** A part of a runbook with its position. */
export interface Placed {
  readonly place: SourcePosition;
}

const sources = new WeakMap<object, ConfigNode>();

/** Records the source of a part. Returns the part. */
export function remember<Part extends object>(
  part: Part,
  node: ConfigNode,
): Part {
  sources.set(part, node);
  return part;
}

/**
 * Finds the position of a value.
 *
 * @param part A part from a file: a step, a group, a check of a gate, the runbook.
 * @param path Keys and indices as in the file: `"with", "image"`.
 * @returns Its position, or that of the nearest enclosing value.
 */
export function placeIn(
  part: Placed,
  ...path: readonly (string | number)[]
): SourcePosition {
  return placeWithin(sources.get(part), path) ?? part.place;
}

/**
 * Finds the position of a value in a tree.
 *
 * @returns Its position, or that of the nearest enclosing value; `undefined` when unknown.
 */
export function placeWithin(
  root: ConfigNode | undefined,
  path: readonly (string | number)[],
): SourcePosition | undefined {
  let node = root;
  let place = root?.at;
  for (const step of path) {
    const key = typeof step === "string" ? keyPlace(node, step) : undefined;
    node = typeof step === "string"
      ? findChild(node, step)
      : node?.kind === "list"
      ? node.items[step]?.value
      : undefined;
    if (node === undefined) return place;
    place = node.at ?? key ?? place;
  }
  return place;
}

function keyPlace(
  node: ConfigNode | undefined,
  key: string,
): SourcePosition | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entries.find((entry) => entry.key === key)?.at;
}

/** Positions of the parts of a generated document, in the document and in the program. */
export interface MadeParts {
  /** Paths of the parts, by position in the document. */
  readonly paths: ReadonlyMap<string, Call["path"]>;
  /** Positions of calls in the program, by the paths of their parts. */
  readonly calls: ReadonlyMap<string, ProgramPlace>;
}

/** Finds the path of every part of a document. `calls`: calls that made it. */
export function findMaking(
  root: ConfigNode,
  calls: readonly Call[],
): MadeParts {
  const paths = new Map<string, Call["path"]>();
  function walk(node: ConfigNode, path: Call["path"]): void {
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
  function note(at: Place | undefined, path: Call["path"]) {
    if (at !== undefined) paths.set(formatKey(at), path);
  }
  walk(root, []);
  return {
    paths,
    calls: new Map(calls.map(({ path, line, column }) => [
      pathText(path),
      { line, column },
    ])),
  };
}

/**
 * Maps a problem to the program, with a path: the user cannot see the lines of the generated
 * document.
 */
export function inProgram(
  problem: SourceProblem,
  making: MadeParts,
): SourceProblem {
  const { place, message, first } = problem;
  const path = pathText(making.paths.get(formatKey(place)) ?? []);
  return {
    ...problem,
    place: findCall(place, making),
    message: path === "" ? message : `${path}: ${message}`,
    ...first && { first: findCall(first, making) },
  };
}

/** Finds the call that made the part at a position, or the nearest enclosing part. */
function findCall(
  place: SourcePosition,
  { paths, calls }: MadeParts,
): SourcePosition {
  const path = paths.get(formatKey(place)) ?? [];
  const around = path.map((_, index) => path.slice(0, path.length - index));
  const call = [...around, []].map((one) => calls.get(pathText(one)))
    .find((one) => one !== undefined);
  return { file: place.file, ...call ?? { line: 1, column: 1 } };
}

function formatKey({ line, column }: Place): string {
  return `${line}:${column}`;
}
