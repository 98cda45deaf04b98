/** Strategic merge: a value and a partial value of the same description become one. */

import { ConfigError } from "../../errors.ts";
import {
  type ConfigNode,
  isNull,
  type ListItem,
  type ListNode,
  type MapEntry,
  type MapNode,
} from "../tree/node.ts";
import { resolvePlain } from "../tree/resolve.ts";
import type { Field, Fields, MergeRule, Shape } from "../documents/schema.ts";
import { pathText } from "../documents/problem.ts";

/** A list that a merge made longer. */
export interface Appended {
  /** Keys and indices from the root. */
  readonly path: string;
  /** How many elements were added. */
  readonly count: number;
}

interface Walk {
  readonly path: (string | number)[];
  readonly appended: Appended[];
}

/** What a merge gives. */
export interface Merged {
  /** The new value. */
  readonly root: MapNode;
  /** Lists that were made longer, in the order of the document. */
  readonly appended: readonly Appended[];
}

/** A field of which nothing is known. */
const anyField: Pick<Field, "shape"> = { shape: { shape: "free" } };

/**
 * Merges a patch into a document of the same identity.
 *
 * Null changes nothing; texts and numbers that are empty or zero change
 * nothing unless the field tells absent from empty; lists are appended to,
 * unless the description says otherwise; keys of mappings are added.
 *
 * @param left The document.
 * @param right The patch, without `$patch` marks.
 * @param fields Description; `undefined` for a kind that is not known.
 * @throws {ConfigError} If a key the description leaves open holds different
 * kinds of values.
 */
export function mergeRoots(
  left: MapNode,
  right: MapNode,
  fields: Fields | undefined,
): Merged {
  const walk: Walk = { path: [], appended: [] };
  const root = fields === undefined
    ? mergeKeys(left, right, () => anyField, walk)
    : mergeKeys(left, right, (key) => fields[key] ?? anyField, walk);
  return { root, appended: walk.appended };
}

function mergeKeys(
  left: MapNode,
  right: MapNode,
  fieldOf: (key: string) => Pick<Field, "shape" | "optional" | "merge">,
  walk: Walk,
): MapNode {
  const entries = new Map(left.entries.map((entry) => [entry.key, entry]));
  for (const entry of right.entries) {
    if (isNull(entry.value)) continue;
    walk.path.push(entry.key);
    const old = entries.get(entry.key);
    entries.set(entry.key, mergeEntry(old, entry, fieldOf(entry.key), walk));
    walk.path.pop();
  }
  return withAfter({ ...left, entries: [...entries.values()] }, right);
}

function mergeEntry(
  old: MapEntry | undefined,
  entry: MapEntry,
  field: Pick<Field, "shape" | "optional" | "merge">,
  walk: Walk,
): MapEntry {
  if (old === undefined || isNull(old.value)) return { ...old, ...entry };
  const value = mergeValue(old.value, entry.value, field, walk);
  return value === old.value ? old : { ...old, ...entry, value };
}

function mergeValue(
  left: ConfigNode,
  right: ConfigNode,
  { shape, optional, merge }: Pick<Field, "shape" | "optional" | "merge">,
  walk: Walk,
): ConfigNode {
  if (merge === "replace" || merge === "overwrite") return right;
  if (shape.shape === "free") return mergeFreely(left, right, walk);
  if (left.kind !== right.kind) return right;
  if (right.kind === "scalar") {
    return optional || !isZero(right, shape) ? right : left;
  }
  if (left.kind === "list" && right.kind === "list") {
    return mergeLists(left, right, { shape, merge }, walk);
  }
  if (left.kind === "map" && right.kind === "map") {
    return mergeMaps(left, right, shape, walk);
  }
  return right;
}

function mergeMaps(
  left: MapNode,
  right: MapNode,
  shape: Shape,
  walk: Walk,
): MapNode {
  if (shape.shape === "struct") {
    // Halves of two pairs of certificate and key are no pair.
    if (shape.whole) return right;
    const { fields } = shape;
    return mergeKeys(left, right, (key) => fields[key] ?? anyField, walk);
  }
  const of = shape.shape === "map" ? shape.of : anyField.shape;
  return mergeKeys(left, right, () => ({ shape: of }), walk);
}

function isZero(
  node: ConfigNode & { readonly kind: "scalar" },
  shape: Shape,
): boolean {
  if (shape.shape !== "scalar" || shape.zero.text === "false") return false;
  const reading = shape.read(node);
  return !("fault" in reading) && reading.text === shape.zero.text;
}

function mergeLists(
  left: ListNode,
  right: ListNode,
  { shape, merge }: {
    readonly shape: Shape;
    readonly merge: MergeRule | undefined;
  },
  walk: Walk,
): ListNode {
  const of = shape.shape === "list" ? shape.of : anyField.shape;
  const items = [...left.items];
  for (const item of right.items) {
    const at = typeof merge === "object"
      ? items.findIndex((old) => agree(old.value, item.value, merge))
      : -1;
    const old = items[at];
    if (old === undefined) {
      items.push(item);
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

/** Tells whether two elements have the same value under the first key that the patch's has. */
function agree(
  old: ConfigNode,
  item: ConfigNode,
  keys: readonly string[],
): boolean {
  if (old.kind !== "map" || item.kind !== "map") return false;
  for (const key of keys) {
    const wanted = valueOf(item, key);
    if (wanted === undefined) continue;
    const found = valueOf(old, key);
    return found !== undefined && sameValue(found, wanted);
  }
  return false;
}

function valueOf(node: MapNode, key: string): ConfigNode | undefined {
  const value = node.entries.find((entry) => entry.key === key)?.value;
  return isNull(value) ? undefined : value;
}

/** Tells whether two values are the same; comments and the order of keys do not matter. */
export function sameValue(a: ConfigNode, b: ConfigNode): boolean {
  if (a.kind === "scalar" && b.kind === "scalar") {
    return a.text === b.text &&
      (a.plain === b.plain || !isNull(a) === !isNull(b));
  }
  if (a.kind === "list" && b.kind === "list") {
    return a.items.length === b.items.length &&
      a.items.every(({ value }, index) => {
        const other = b.items[index];
        return other !== undefined && sameValue(value, other.value);
      });
  }
  if (a.kind === "map" && b.kind === "map") {
    const others = new Map(b.entries.map(({ key, value }) => [key, value]));
    return a.entries.length === b.entries.length &&
      a.entries.every(({ key, value }) => {
        const other = others.get(key);
        return other !== undefined && sameValue(value, other);
      });
  }
  return false;
}

function note(count: number, left: ListNode, walk: Walk): void {
  if (count > 0 && left.items.length > 0) {
    walk.appended.push({ path: pathText(walk.path), count });
  }
}

function mergeFreely(
  left: ConfigNode,
  right: ConfigNode,
  walk: Walk,
): ConfigNode {
  if (left.kind === "map" && right.kind === "map") {
    return mergeKeys(left, right, () => anyField, walk);
  }
  if (left.kind === "list" && right.kind === "list") {
    note(right.items.length, left, walk);
    return { ...left, items: [...left.items, ...right.items] };
  }
  const [old, given] = [typeOf(left), typeOf(right)];
  if (old !== given) throw mismatch(right, old, given, walk);
  if (right.kind !== "scalar") return right;
  const isEmpty = given === "text"
    ? right.text === ""
    : given === "number" && Number(right.text) === 0;
  return isEmpty ? left : right;
}

function typeOf(node: ConfigNode): string {
  if (node.kind !== "scalar") return node.kind === "map" ? "mapping" : "list";
  if (!node.plain) return "text";
  const { text, plain } = resolvePlain(node.text);
  if (!plain) return "text";
  return text === "true" || text === "false" ? "truth value" : "number";
}

function mismatch(
  { at }: ConfigNode,
  old: string,
  given: string,
  { path }: Walk,
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
  { after }: Pick<ListItem & MapNode, "after">,
): Node {
  if (after === undefined) return node;
  return { ...node, after: [...node.after ?? [], ...after] };
}
