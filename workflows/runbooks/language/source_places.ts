/** Where the parts of a runbook stand, beside the intermediate form, which is plain JSON. */

import {
  type ConfigNode,
  findChild,
  type Place,
} from "../../../config/tree/node.ts";
import type { SourcePosition } from "../runbook.ts";
import { pathText } from "../../../config/documents/problem.ts";
import type { SourceProblem } from "./problem.ts";
import type { Call, ProgramPlace } from "./typescript/sandbox.ts";

/** A part of a runbook that knows where it begins. */
export interface Placed {
  readonly place: SourcePosition;
}

const sources = new WeakMap<object, ConfigNode>();

/** Remembers what a part was made from. Returns the part. */
export function remember<Part extends object>(
  part: Part,
  node: ConfigNode,
): Part {
  sources.set(part, node);
  return part;
}

/**
 * Finds where a value is.
 *
 * @param part A part that was read from a file: a step, a group, a check of a gate, the runbook.
 * @param path Keys and indices as the file has them: `"with", "image"`.
 * @returns Where it is, or the nearest thing around it that is known.
 */
export function placeIn(
  part: Placed,
  ...path: readonly (string | number)[]
): SourcePosition {
  return placeWithin(sources.get(part), path) ?? part.place;
}

/**
 * Finds where a value is in a tree.
 *
 * @returns Where the value is, or what is nearest around it; `undefined` when nothing is known.
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

/** What a program has made: where the parts of the document are, there and in the program. */
export interface MadeParts {
  /** Paths of the parts, by their places in the document. */
  readonly paths: ReadonlyMap<string, Call["path"]>;
  /** Places of the calls in the program, by the texts of the paths they made. */
  readonly calls: ReadonlyMap<string, ProgramPlace>;
}

/** Finds the path of every part of a document. `calls`: those that made it. */
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
 * Says where a problem is in the program, and by a path, since nobody has seen the lines of the
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

/** The call that made what is at a place of the document; the nearest around it that is known. */
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
