/** Derives the patch that turns one value into another. */

import type { Fields, MergeRule, Shape } from "../documents/schema.ts";
import {
  type ConfigNode,
  isNull,
  type ListItem,
  type ListNode,
  type MapEntry,
  type MapNode,
  toTree,
} from "../tree/node.ts";
import { sameValue } from "../tree/resolve.ts";
import { isEmpty, nameType } from "./merge.ts";
import { findRules, type Rule, rulesIn } from "./merge_rule.ts";

/** Part of a patch: no change, a value to merge, or `impossible` if only the enclosing mapping can be replaced. */
type DerivedPatch = ConfigNode | undefined | "impossible";

const removal = toTree({ $patch: "delete" });
const replacement: MapEntry = { key: "$patch", value: toTree("replace") };

/**
 * Derives a strategic merge patch.
 *
 * @param to Root of a document of the same identity in canonical form.
 * @param fields Description; `undefined` for an unknown kind.
 * @returns Entries of the patch without the identity; `undefined` if both are equal.
 */
export function derivePatch(
  from: MapNode,
  to: MapNode,
  fields: Fields | undefined,
): readonly MapEntry[] | undefined {
  const part = ofKeys(from, to, findRules(fields));
  if (part === undefined) return undefined;
  if (part === "impossible") return [replacement, ...to.entries];
  return part.kind === "map" ? part.entries : undefined;
}

function ofKeys(
  from: MapNode,
  to: MapNode,
  findRule: (key: string) => Rule,
): DerivedPatch {
  const old = new Map(from.entries.map(({ key, value }) => [key, value]));
  const entries: MapEntry[] = [];
  for (const { key, value } of to.entries) {
    const before = old.get(key);
    old.delete(key);
    const part = ofValue(before, value, findRule(key));
    if (part === "impossible") return part;
    if (part !== undefined) entries.push({ key, value: part });
  }
  for (const [key, value] of old) {
    if (!isNull(value) || findRule(key).inMap) {
      entries.push({ key, value: removal });
    }
  }
  return entries.length === 0 ? undefined : { kind: "map", entries };
}

function ofValue(
  from: ConfigNode | undefined,
  to: ConfigNode,
  rule: Rule,
): DerivedPatch {
  if (from !== undefined && sameValue(from, to)) return undefined;
  if (isNull(to)) return ofNull(from, rule);
  // Elements with the same key would be merged.
  if (isAmbiguous(to, rule)) return "impossible";
  if (from === undefined || isNull(from)) return to;
  const isBare = to.kind === "map" && to.entries.length === 0;
  if (rule.merge === "replace" && !isBare) return to;
  if (from.kind === "scalar" && to.kind === "scalar") {
    return ofScalar(from, to, rule);
  }
  if (from.kind === "list" && to.kind === "list") {
    return ofList(from, to, rule);
  }
  if (from.kind === "map" && to.kind === "map") return ofMap(from, to, rule);
  return "impossible";
}

function isAmbiguous(to: ConfigNode, { merge }: Rule): boolean {
  return to.kind === "list" && typeof merge === "object" &&
    !areDistinct(to.items.map(({ value }) => findKey(value, merge)));
}

/** Null means absent, except under a user-defined key. */
function ofNull(from: ConfigNode | undefined, { inMap }: Rule): DerivedPatch {
  if (inMap) return from === undefined ? toTree(null) : "impossible";
  return from === undefined ? undefined : removal;
}

function ofScalar(
  from: ConfigNode & { readonly kind: "scalar" },
  to: ConfigNode & { readonly kind: "scalar" },
  { shape, optional, inMap }: Rule,
): DerivedPatch {
  if (shape.shape === "free") {
    const sets = nameType(from) === nameType(to) && !isEmpty(to);
    return sets ? to : "impossible";
  }
  if (optional || shape.shape !== "scalar") return to;
  const { text, plain } = shape.zero;
  const isZero = to.text === text && to.plain === plain && text !== "false";
  if (!isZero) return to;
  // A key with an empty value is not the same as a missing key.
  return inMap ? "impossible" : removal;
}

function ofMap(from: MapNode, to: MapNode, { shape }: Rule): DerivedPatch {
  if (shape.shape === "struct" && shape.whole) return to;
  const replaced: MapNode = {
    kind: "map",
    entries: [replacement, ...to.entries],
  };
  if (to.entries.length === 0) return replaced;
  const part = ofKeys(from, to, rulesIn(shape));
  return part === "impossible" ? replaced : smaller(part, replaced);
}

function ofList(
  from: ListNode,
  to: ListNode,
  { shape, merge }: Rule,
): DerivedPatch {
  const replaced: ListNode = {
    kind: "list",
    items: [
      { value: { kind: "map", entries: [replacement] } },
      ...to.items,
    ],
  };
  const appended = findTail(from, to);
  if (appended !== undefined && typeof merge !== "object") return appended;
  if (typeof merge !== "object" || shape.shape !== "list") return replaced;
  const merged = byKeys(from, to, { of: shape.of, merge });
  return merged === undefined ? replaced : smaller(merged, replaced);
}

function findTail(from: ListNode, to: ListNode): ListNode | undefined {
  const begins = from.items.length < to.items.length &&
    from.items.every(({ value }, index) => {
      const other = to.items[index];
      return other !== undefined && sameValue(value, other.value);
    });
  return begins
    ? { kind: "list", items: to.items.slice(from.items.length) }
    : undefined;
}

/** Patches elements by their keys; `undefined` if the order would change. */
function byKeys(
  from: ListNode,
  to: ListNode,
  { of, merge }: {
    readonly of: Shape;
    readonly merge: Exclude<MergeRule, string>;
  },
): ListNode | undefined {
  const [old, wanted] = [from, to].map(({ items }) =>
    items.map(({ value }) => findKey(value, merge))
  );
  if (old === undefined || wanted === undefined) return undefined;
  if (!areDistinct(old)) return undefined;
  const kept = old.filter((one) => indexIn(wanted, one) >= 0);
  const inOrder = kept.every((one, at) => indexIn(wanted, one) === at);
  if (!inOrder) return undefined;
  const items: ListItem[] = old.flatMap((one) =>
    one && indexIn(wanted, one) < 0 ? [{ value: removalPatch(one) }] : []
  );
  for (const [index, one] of wanted.entries()) {
    const value = to.items[index]?.value;
    const before = from.items[indexIn(old, one)]?.value;
    if (one === undefined || value === undefined) return undefined;
    if (before === undefined) items.push({ value });
    else if (!sameValue(before, value)) {
      const part = ofValue(before, value, { shape: of });
      // Marks are not allowed inside elements.
      if (part === undefined || part === "impossible" || hasMark(part)) {
        return undefined;
      }
      items.push({ value: withKey(part, one) });
    }
  }
  return { kind: "list", items };
}

function findKey(
  value: ConfigNode,
  keys: readonly string[],
): MapEntry | undefined {
  if (value.kind !== "map") return undefined;
  for (const key of keys) {
    const entry = value.entries.find((one) => one.key === key);
    if (entry !== undefined && !isNull(entry.value)) return entry;
  }
  return undefined;
}

function indexIn(
  all: readonly (MapEntry | undefined)[],
  one: MapEntry | undefined,
): number {
  return all.findIndex((other) =>
    one !== undefined && other?.key === one.key &&
    sameValue(other.value, one.value)
  );
}

function areDistinct(all: readonly (MapEntry | undefined)[]): boolean {
  return all.every((one, index) => indexIn(all, one) === index);
}

function removalPatch(entry: MapEntry): ConfigNode {
  return {
    kind: "map",
    entries: [entry, { key: "$patch", value: toTree("delete") }],
  };
}

function withKey(part: ConfigNode, entry: MapEntry): ConfigNode {
  if (part.kind !== "map") return part;
  const others = part.entries.filter(({ key }) => key !== entry.key);
  return { kind: "map", entries: [entry, ...others] };
}

function hasMark(node: ConfigNode): boolean {
  if (node.kind === "list") {
    return node.items.some(({ value }) => hasMark(value));
  }
  return node.kind === "map" &&
    node.entries.some(({ key, value }) => key === "$patch" || hasMark(value));
}

function smaller(a: DerivedPatch, b: ConfigNode): DerivedPatch {
  if (a === undefined || a === "impossible") return a;
  return measureSize(a) <= measureSize(b) ? a : b;
}

function measureSize(node: ConfigNode): number {
  if (node.kind === "scalar") return node.text.length + 2;
  if (node.kind === "list") {
    return node.items.reduce(
      (sum, { value }) => sum + 2 + measureSize(value),
      0,
    );
  }
  return node.entries.reduce(
    (sum, { key, value }) => sum + key.length + 2 + measureSize(value),
    0,
  );
}
