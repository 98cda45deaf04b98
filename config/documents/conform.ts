/** Validates a value against its description and brings it into canonical form, in one walk. */

import { nearest } from "../../lib/text/nearest.ts";
import {
  type ConfigNode,
  isNull,
  type ListItem,
  type ListNode,
  type MapEntry,
  type MapNode,
  type Place,
  type ScalarNode,
  withValues,
} from "../tree/node.ts";
import { resolvePlain } from "../tree/resolve.ts";
import { pathText, type Problem } from "./problem.ts";
import type {
  Field,
  Fields,
  ListShape,
  MapShape,
  ScalarShape,
  Shape,
  Written,
} from "./schema.ts";

interface CanonicalValue {
  /** Keys in the order of the description, scalars canonical, empty values omitted; comments kept. */
  readonly node: ConfigNode;
  /** Mismatches with the description; errors only. */
  readonly problems: readonly Problem[];
}

interface ConformWalk {
  readonly problems: Problem[];
  readonly path: (string | number)[];
}

interface Result {
  readonly node: ConfigNode;
  /** True if it contains no set value. */
  readonly zero: boolean;
}

const nullNode: ScalarNode = { kind: "scalar", text: "null", plain: true };

/** Conforms a value to its description, which defines the order of keys. */
export function conform(node: ConfigNode, fields: Fields): CanonicalValue {
  const known = conformed.get(node);
  if (known?.fields === fields) return known.result;
  const walk: ConformWalk = { problems: [], path: [] };
  const { node: written } = struct(node, fields, walk);
  const result = { node: written, problems: walk.problems };
  conformed.set(node, { fields, result });
  return result;
}

// Documents are checked on load, compared on patching and encoded;
// the cache avoids a walk through large ones each time.
const conformed = new WeakMap<
  ConfigNode,
  { readonly fields: Fields; readonly result: CanonicalValue }
>();

/**
 * Brings a value into canonical form.
 *
 * @param node The value; invalid parts stay unchanged.
 */
export function conformTo(node: ConfigNode, shape: Shape): ConfigNode {
  return value(node, shape, { problems: [], path: [] }).node;
}

function value(node: ConfigNode, shape: Shape, walk: ConformWalk): Result {
  switch (shape.shape) {
    case "scalar":
      return scalar(node, shape, walk);
    case "list":
      return list(node, shape, walk);
    case "map":
      return map(node, shape, walk);
    case "struct":
      return struct(node, shape.fields, walk);
    case "free":
      return free(node, walk);
  }
}

function scalar(
  node: ConfigNode,
  shape: ScalarShape,
  walk: ConformWalk,
): Result {
  if (node.kind !== "scalar") return misshapen(node, shape.expected, walk);
  const reading = shape.read(node);
  if (!("fault" in reading)) {
    return {
      node: toScalar(reading, node.at),
      zero: isSame(reading, shape.zero),
    };
  }
  report(walk, node.at, reading.fault, `Give ${shape.expected}`);
  return { node, zero: false };
}

function toScalar({ text, plain }: Written, at?: Place): ScalarNode {
  return { kind: "scalar", text, plain, ...placeField(at) };
}

function isSame(a: Written, b: Written): boolean {
  return a.text === b.text && a.plain === b.plain;
}

function list(node: ConfigNode, shape: ListShape, walk: ConformWalk): Result {
  if (node.kind === "scalar" && shape.loneUntil !== undefined) {
    return value(node, shape.of, walk);
  }
  if (node.kind !== "list") return misshapen(node, "a list", walk);
  const items = node.items.flatMap((item, index): ListItem[] => {
    // Nodes skip null elements of most lists.
    if (isNull(item.value)) {
      return shape.gaps ? [{ ...item, value: nullNode }] : [];
    }
    walk.path.push(index);
    const kept = value(item.value, shape.of, walk).node;
    walk.path.pop();
    return [{ ...item, value: kept }];
  });
  return { node: { ...node, items }, zero: isBare(items, node) };
}

function map(node: ConfigNode, shape: MapShape, walk: ConformWalk): Result {
  if (node.kind !== "map") return misshapen(node, "a mapping", walk);
  const entries = node.entries.map((entry): MapEntry => {
    walk.path.push(entry.key);
    const kept = isNull(entry.value)
      ? makeZero(shape.of, shape.of.shape === "struct", walk)
      : value(entry.value, shape.of, walk).node;
    walk.path.pop();
    return { ...entry, value: kept };
  }).sort((a, b) => compareKeys(a.key, b.key));
  return { node: { ...node, entries }, zero: isBare(entries, node) };
}

function struct(node: ConfigNode, fields: Fields, walk: ConformWalk): Result {
  if (node.kind !== "map") return misshapen(node, "a mapping", walk);
  const given = new Map(node.entries.map((entry) => [entry.key, entry]));
  if (node.merged !== undefined) {
    const hint = "Write the keys out, or use an alias for the whole value";
    report(
      walk,
      node.merged,
      'Nodes do not support "<<" (merge keys) here',
      hint,
    );
  }
  const entries: MapEntry[] = [];
  let zero = true;
  for (const [key, field] of Object.entries(fields)) {
    const entry = given.get(key);
    given.delete(key);
    walk.path.push(key);
    const result = keep(entry, field, walk);
    walk.path.pop();
    if (result === undefined) continue;
    zero &&= result.zero;
    entries.push({ ...entry, key, value: result.node });
  }
  for (const entry of given.values()) {
    unknown(entry, fields, walk);
    entries.push(entry);
    zero = false;
  }
  return { node: { ...node, entries }, zero: zero && isBare([], node) };
}

function keep(
  entry: MapEntry | undefined,
  field: Field,
  walk: ConformWalk,
): Result | undefined {
  const commented = entry?.before !== undefined || entry?.line !== undefined;
  if (entry === undefined || isNull(entry.value)) {
    if (field.always) {
      return { node: makeZero(field.shape, field.optional, walk), zero: true };
    }
    // The user's comments about a value must not be lost.
    return commented ? { node: nullNode, zero: false } : undefined;
  }
  const result = value(entry.value, field.shape, walk);
  if (field.optional || commented) return { ...result, zero: false };
  return field.always || !result.zero ? result : undefined;
}

/** Canonical form of a missing value. */
function makeZero(
  shape: Shape,
  optional: boolean | undefined,
  walk: ConformWalk,
): ConfigNode {
  switch (shape.shape) {
    case "scalar":
      return optional ? nullNode : toScalar(shape.zero);
    case "list":
      return shape.loneUntil === undefined
        ? { kind: "list", items: [] }
        : makeZero(shape.of, optional, walk);
    case "struct":
      return optional
        ? nullNode
        : struct({ kind: "map", entries: [] }, shape.fields, walk).node;
    default:
      return { kind: "map", entries: [] };
  }
}

/** Sorts keys and formats numbers as nodes do, without a description. */
function free(node: ConfigNode, walk: ConformWalk): Result {
  if (node.kind !== "map") return misshapen(node, "a mapping", walk);
  return { node: freely(node), zero: isBare(node.entries, node) };
}

function freely(node: ConfigNode): ConfigNode {
  if (node.kind === "scalar") return node.plain ? resolveScalar(node) : node;
  const made = withValues(node, freely);
  if (made.kind === "list") return made;
  const entries = made.entries.toSorted((a, b) => compareKeys(a.key, b.key));
  return { ...made, entries };
}

function resolveScalar({ text, at }: ScalarNode): ScalarNode {
  const meant = resolvePlain(text);
  return toScalar({ text: meant.text, plain: meant.type !== "text" }, at);
}

function isBare(parts: readonly unknown[], node: MapNode | ListNode): boolean {
  return parts.length === 0 && node.after === undefined;
}

function misshapen(
  node: ConfigNode,
  expected: string,
  walk: ConformWalk,
): Result {
  const kinds = { scalar: "a single value", list: "a list", map: "a mapping" };
  report(walk, node.at, `This is ${kinds[node.kind]}`, `Give ${expected}`);
  return { node, zero: false };
}

function unknown(entry: MapEntry, fields: Fields, walk: ConformWalk): void {
  const known = Object.keys(fields);
  const near = nearest(entry.key, known);
  walk.path.push(entry.key);
  report(
    walk,
    entry.at,
    `Unknown key "${entry.key}"`,
    near === undefined
      ? `Known keys: ${known.join(", ")}`
      : `Did you mean "${near}"?`,
  );
  walk.path.pop();
}

function report(
  { problems, path }: ConformWalk,
  at: Place | undefined,
  message: string,
  hint: string,
): void {
  const place = { path: pathText(path), ...placeField(at) };
  problems.push({ level: "error", message, hint, ...place });
}

function placeField(at: Place | undefined): { readonly at?: Place } {
  return at === undefined ? {} : { at };
}

const letter = /^\p{L}/u;
const digit = /^\p{Nd}/u;

/**
 * Compares two keys in the order of nodes: letters after everything else, numbers by value (`a2` before `a10`).
 *
 * Source: the key order in configurations returned by nodes.
 *
 * @returns Negative if `a` is first.
 */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((rune, index) => rune !== right[index]);
  const [l, r] = [left[at], right[at]];
  if (at < 0 || r === undefined || l === undefined) {
    return left.length - right.length;
  }
  const letters = [letter.test(l), letter.test(r)];
  if (letters[0] && letters[1]) return order(l, r);
  if (letters[0] || letters[1]) {
    // After a digit a letter ends the shorter number, which is first.
    const letterFirst = digit.test(left[at - 1] ?? "");
    return letters[0] === letterFirst ? -1 : 1;
  }
  // Zeros count only inside a number, not at its start.
  const seed = (l === "0" || r === "0") && isInsideNumber(left, at) ? 1 : 0;
  const [x, y] = [numberAt(left, at, seed), numberAt(right, at, seed)];
  return x.value - y.value || x.end - y.end || order(l, r);
}

function isInsideNumber(runes: readonly string[], at: number): boolean {
  const before = runes.slice(0, at).join("").match(/\p{Nd}*$/u)?.[0] ?? "";
  return /[^0]/.test(before);
}

function numberAt(runes: readonly string[], at: number, seed: number) {
  let value = seed;
  let end = at;
  for (; digit.test(runes[end] ?? ""); end++) {
    value = value * 10 + (runes[end] ?? "").charCodeAt(0) - 48;
  }
  return { value, end };
}

function order(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}
