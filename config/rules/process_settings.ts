/** `machine.baseRuntimeSpecOverrides`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import {
  type LeafShape,
  runtimeSpec,
  type SpecShape,
} from "./process_settings_shape.ts";
import { isGiven, textOf } from "./checks.ts";

const truths = /^(?:true|True|TRUE|false|False|FALSE)$/;
const numbers =
  /^[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?)$/;

/** Settings of containers have the types that the runtime reads. */
export function* runtimeSpecRules(root: Cursor): Iterable<Problem> {
  yield* shapeRules(
    root.get("machine", "baseRuntimeSpecOverrides"),
    runtimeSpec,
  );
}

function* shapeRules(place: Cursor, shape: SpecShape): Iterable<Problem> {
  if (!isGiven(place)) return;
  if (typeof shape === "string") {
    yield* leafRules(place, shape);
  } else if ("list" in shape) {
    yield* collectionRules(place, "list");
    for (const item of place.items()) yield* shapeRules(item, shape.list);
  } else {
    yield* collectionRules(place, "map");
    for (const [key, value] of place.entries()) {
      const inner = "map" in shape ? shape.map : fieldOf(shape.keys, key);
      if (inner !== undefined) yield* shapeRules(value, inner);
    }
  }
}

/** The runtime does not care for the case of a key that it does not find as it is. */
function fieldOf(
  keys: { readonly [key: string]: SpecShape },
  key: string,
): SpecShape | undefined {
  return Object.entries(keys).find(([name]) =>
    name.toLowerCase() === key.toLowerCase()
  )?.[1];
}

function* collectionRules(
  place: Cursor,
  kind: "list" | "map",
): Iterable<Problem> {
  if (place.node?.kind === kind) return;
  const wanted = kind === "list" ? "a list" : "a mapping";
  yield place.error(
    `${
      String(place.path.at(-1))
    } of the runtime specification is not ${wanted}`,
    `Write ${wanted}`,
  );
}

function* leafRules(place: Cursor, shape: LeafShape): Iterable<Problem> {
  const wanted = expected(shape);
  if (fits(place, shape)) return;
  yield place.error(
    `${String(place.path.at(-1))} of the runtime specification is ${
      place.text() === undefined ? "a collection" : `"${textOf(place)}"`
    }, not ${wanted}`,
    shape === "text" ? "Put the value in quotes" : `Write ${wanted}`,
  );
}

function fits({ node }: Cursor, shape: LeafShape): boolean {
  if (node?.kind !== "scalar") return false;
  const truth = node.plain && truths.test(node.text);
  const number = node.plain && numbers.test(node.text);
  if (shape === "text") return !truth && !number;
  if (shape === "truth") return truth;
  return number && isWithin(node.text, shape);
}

function isWithin(
  text: string,
  shape: Exclude<LeafShape, "text" | "truth">,
): boolean {
  const bare = text.replaceAll("_", "").replace(/^\+/, "");
  // `1.0` and `1e3` are whole numbers too.
  const value = /^-?\d+$/.test(bare) ? bare : Number(bare);
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  const [least, most] = limits(shape);
  return BigInt(value) >= least && BigInt(value) <= most;
}

function limits(
  shape: Exclude<LeafShape, "text" | "truth">,
): readonly [least: bigint, most: bigint] {
  const bits = BigInt(shape.slice(1));
  return shape.startsWith("u")
    ? [0n, 2n ** bits - 1n]
    : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

function expected(shape: LeafShape): string {
  if (shape === "text") return "a text";
  if (shape === "truth") return "true or false";
  const [least, most] = limits(shape);
  return `a whole number from ${least} to ${most}`;
}
