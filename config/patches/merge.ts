/** Strategic merge of a value and a partial value with the same description. */

import { ConfigError } from "../../errors.ts";
import { conformTo } from "../documents/conform.ts";
import { pathText } from "../documents/problem.ts";
import type { Fields, ScalarShape, Shape } from "../documents/schema.ts";
import {
  type ConfigNode,
  findChild,
  isNull,
  type ListNode,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from "../tree/node.ts";
import { resolvePlain, sameValue } from "../tree/resolve.ts";
import { findRules, freeRule, type Rule, rulesIn } from "./merge_rule.ts";

interface Appended {
  /** Keys and indices from the root. */
  readonly path: string;
  /** Number of added elements. */
  readonly count: number;
}

interface Merged {
  readonly root: MapNode;
  /** Extended lists, in patch order. */
  readonly appended: readonly Appended[];
}

interface MergeWalk {
  readonly path: (string | number)[];
  readonly appended: Appended[];
}

/** Initial value for merging list elements by key. */
const nothing: ListNode = { kind: "list", items: [] };

/**
 * Merges a patch into a document of the same identity.
 *
 * Null changes nothing; empty texts and zero numbers change nothing unless the field distinguishes
 * absent from empty; lists are appended, unless the description says otherwise; mapping keys are added.
 *
 * @param right The patch, without `$patch` directives.
 * @param fields Description; `undefined` for an unknown kind.
 * @throws {ConfigError} If the values of an undescribed key have different types.
 */
export function mergeRoots(
  left: MapNode,
  right: MapNode,
  fields: Fields | undefined,
): Merged {
  const walk: MergeWalk = { path: [], appended: [] };
  const root = mergeKeys(left, right, findRules(fields), walk);
  return { root, appended: walk.appended };
}

function mergeKeys(
  left: MapNode,
  right: MapNode,
  findRule: (key: string) => Rule,
  walk: MergeWalk,
): MapNode {
  const entries = new Map(left.entries.map((entry) => [entry.key, entry]));
  for (const entry of right.entries) {
    walk.path.push(entry.key);
    const old = entries.get(entry.key);
    const merged = mergeEntry(old, entry, findRule(entry.key), walk);
    if (merged !== undefined) entries.set(entry.key, merged);
    walk.path.pop();
  }
  return withAfter({ ...left, entries: [...entries.values()] }, right);
}

function mergeEntry(
  old: MapEntry | undefined,
  entry: MapEntry,
  rule: Rule,
  walk: MergeWalk,
): MapEntry | undefined {
  if (isNull(entry.value)) return old ?? (rule.inMap ? entry : undefined);
  const before = old === undefined || isNull(old.value) ? nothing : old.value;
  if (before === nothing && typeof rule.merge !== "object") {
    return { ...old, ...entry };
  }
  const value = mergeValue(before, entry.value, rule, walk);
  return value === old?.value ? old : { ...old, ...entry, value };
}

function mergeValue(
  left: ConfigNode,
  right: ConfigNode,
  { shape, optional, merge }: Rule,
  walk: MergeWalk,
): ConfigNode {
  if (merge === "replace" || merge === "overwrite") {
    return shape.shape === "free" && isBare(right) ? left : right;
  }
  if (shape.shape === "free") return mergeFreely(left, right, walk);
  if (left.kind === "scalar" && right.kind === "scalar") {
    return optional || !isZero(right, shape) ? right : left;
  }
  if (left.kind === "list" && right.kind === "list") {
    const given = shape.shape === "list" && shape.gaps
      ? right
      : withoutNulls(right);
    return typeof merge === "object"
      ? mergeByKeys(left, given, { of: elementShape(shape), keys: merge, walk })
      : append(left, given, walk);
  }
  if (left.kind === "map" && right.kind === "map") {
    // Halves of two certificate and key pairs do not form a pair.
    if (shape.shape === "struct" && shape.whole) return right;
    return mergeKeys(left, right, rulesIn(shape), walk);
  }
  return right;
}

function isBare(node: ConfigNode): boolean {
  return node.kind === "map" && node.entries.length === 0;
}

function isZero(node: ScalarNode, shape: Shape): boolean {
  if (shape.shape !== "scalar" || isTruth(shape)) return false;
  const reading = shape.read(node);
  return !("fault" in reading) && reading.text === shape.zero.text;
}

// False is an explicit value.
function isTruth({ zero }: ScalarShape): boolean {
  return zero.plain && zero.text === "false";
}

function elementShape(shape: Shape): Shape {
  return shape.shape === "list" ? shape.of : freeRule.shape;
}

function withoutNulls(list: ListNode): ListNode {
  const items = list.items.filter(({ value }) => !isNull(value));
  return { ...list, items };
}

function append(left: ListNode, right: ListNode, walk: MergeWalk): ListNode {
  note(right.items.length, left, walk);
  return withAfter({ ...left, items: [...left.items, ...right.items] }, right);
}

interface Keyed {
  readonly of: Shape;
  readonly keys: readonly string[];
  readonly walk: MergeWalk;
}

function mergeByKeys(
  left: ListNode,
  right: ListNode,
  { of, keys, walk }: Keyed,
): ListNode {
  const items = [...left.items];
  const forms = items.map(({ value }) => conformTo(value, of));
  for (const item of right.items) {
    const form = conformTo(item.value, of);
    const at = forms.findIndex((old) => agree(old, form, keys));
    const old = items[at];
    if (old === undefined) {
      items.push(item);
      forms.push(form);
      continue;
    }
    walk.path.push(at);
    const value = mergeValue(old.value, item.value, { shape: of }, walk);
    items[at] = { ...old, ...item, value };
    walk.path.pop();
  }
  note(items.length - left.items.length, left, walk);
  return withAfter({ ...left, items }, right);
}

/** Reports whether two elements have the same value for the first key of the patch's element. */
function agree(
  old: ConfigNode,
  item: ConfigNode,
  keys: readonly string[],
): boolean {
  for (const key of keys) {
    const wanted = findChild(item, key);
    if (wanted === undefined) continue;
    const found = findChild(old, key);
    return found !== undefined && sameValue(found, wanted);
  }
  return false;
}

function note(count: number, left: ListNode, walk: MergeWalk): void {
  if (count > 0 && left.items.length > 0) {
    walk.appended.push({ path: pathText(walk.path), count });
  }
}

function mergeFreely(
  left: ConfigNode,
  right: ConfigNode,
  walk: MergeWalk,
): ConfigNode {
  if (left.kind === "map" && right.kind === "map") {
    return mergeKeys(left, right, findRules(undefined), walk);
  }
  if (left.kind === "list" && right.kind === "list") {
    return append(left, right, walk);
  }
  const [old, given] = [nameType(left), nameType(right)];
  if (old !== given) throw mismatch(right, old, given, walk);
  return isEmpty(right) ? left : right;
}

/** Type of an undescribed value. Returns a readable word. */
export function nameType(node: ConfigNode): string {
  if (node.kind !== "scalar") return node.kind === "map" ? "mapping" : "list";
  return node.plain ? resolvePlain(node.text).type : "text";
}

/** Reports whether an undescribed value is an empty text or zero. */
export function isEmpty(node: ConfigNode): boolean {
  if (node.kind !== "scalar") return false;
  if (!node.plain) return node.text === "";
  const { text, type } = resolvePlain(node.text);
  return type === "number" && (text === "0" || text === "-0");
}

function mismatch(
  { at }: ConfigNode,
  old: string,
  given: string,
  { path }: MergeWalk,
): ConfigError {
  const place = at === undefined
    ? ""
    : ` ("${at.file}", line ${at.line}, column ${at.column})`;
  return new ConfigError(
    `Cannot merge ${
      pathText(path)
    }${place}: the document has a ${old}, the patch a ${given}`,
    {
      hint:
        "Give a value of the same type, or remove the old one with $patch: delete",
    },
  );
}

function withAfter<Node extends MapNode | ListNode>(
  node: Node,
  { after }: Pick<MapNode | ListNode, "after">,
): Node {
  if (after === undefined) return node;
  return { ...node, after: [...node.after ?? [], ...after] };
}
