/** YAML tree with positions and comments. */

/** Position in a file; both numbers from 1. */
export interface Place {
  /** File name for messages. */
  readonly file: string;
  readonly line: number;
  /** Column, in UTF-16 units. */
  readonly column: number;
}

/** Comments of one entry or item; texts are without `#` and the following space. */
export interface Comments {
  /** Lines above; an empty text is a line with `#` alone, `undefined` an empty line. */
  readonly before?: readonly (string | undefined)[];
  /** After the value, or after the key of a collection. */
  readonly line?: string;
}

/** A single value. */
export interface ScalarNode {
  readonly kind: "scalar";
  /** The value as text, with escapes and folds resolved. */
  readonly text: string;
  /** False for quoted and block scalars, and with the tag `!!str`: always a text. */
  readonly plain: boolean;
  /** Position; absent in generated nodes. */
  readonly at?: Place;
}

/** One key and its value. */
export interface MapEntry extends Comments {
  readonly key: string;
  readonly at?: Place;
  readonly value: ConfigNode;
}

/** A mapping. */
export interface MapNode {
  readonly kind: "map";
  /** Entries in order, with unique keys. */
  readonly entries: readonly MapEntry[];
  /** Comment lines below the last entry, as in {@linkcode Comments.before}. */
  readonly after?: readonly (string | undefined)[];
  readonly at?: Place;
  /** Position of a `<<` that added entries. */
  readonly merged?: Place;
}

/** One element of a sequence. */
export interface ListItem extends Comments {
  readonly value: ConfigNode;
}

/** A sequence. */
export interface ListNode {
  readonly kind: "list";
  readonly items: readonly ListItem[];
  /** Comment lines below the last element, as in {@linkcode Comments.before}. */
  readonly after?: readonly (string | undefined)[];
  readonly at?: Place;
}

/** Any value. */
export type ConfigNode = ScalarNode | MapNode | ListNode;

/** Plain values for {@linkcode toTree}; `undefined` members of objects are omitted. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | readonly Plain[]
  | { readonly [key: string]: Plain | undefined };

const nothing = new Set(["", "~", "null", "Null", "NULL"]);

/** Reports whether a value is null, which means "not set". */
export function isNull(node: ConfigNode | undefined): boolean {
  return node === undefined ||
    (node.kind === "scalar" && node.plain && nothing.has(node.text));
}

/** Finds the value of a key; `undefined` for anything but mappings. */
export function findChild(
  node: ConfigNode | undefined,
  key: string,
): ConfigNode | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entries.find((entry) => entry.key === key)?.value;
}

/** Converts plain values to a tree; texts always stay texts. */
export function toTree(value: Plain): ConfigNode {
  if (value === null) return { kind: "scalar", text: "null", plain: true };
  if (typeof value === "string") {
    return { kind: "scalar", text: value, plain: false };
  }
  if (typeof value !== "object") {
    return { kind: "scalar", text: String(value), plain: true };
  }
  if (isList(value)) {
    return {
      kind: "list",
      items: value.map((item) => ({ value: toTree(item) })),
    };
  }
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [{ key, value: toTree(item) }]
  );
  return { kind: "map", entries };
}

// `Array.isArray` does not narrow read-only arrays.
function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}

/** Removes all comments and empty lines from a mapping. */
export function withoutComments(node: MapNode): MapNode {
  const entries = node.entries.map(({ before: _, line: __, ...entry }) => ({
    ...entry,
    value: stripComments(entry.value),
  }));
  const { after: _, ...rest } = node;
  return { ...rest, entries };
}

function stripComments(node: ConfigNode): ConfigNode {
  if (node.kind === "map") return withoutComments(node);
  return node.kind === "list" ? bareList(node) : node;
}

function bareList(node: ListNode): ListNode {
  const { after: _, ...rest } = node;
  return {
    ...rest,
    items: node.items.map(({ value }) => ({ value: stripComments(value) })),
  };
}

/** Maps every value of a mapping or a list, and drops those without a result; everything else stays. */
export function withValues<Node extends MapNode | ListNode>(
  node: Node,
  change: (value: ConfigNode, key: string | number) => ConfigNode | undefined,
): Node {
  const keep = <Part extends { readonly value: ConfigNode }>(
    part: Part,
    key: string | number,
  ): readonly Part[] => {
    const value = change(part.value, key);
    return value === undefined ? [] : [{ ...part, value }];
  };
  return node.kind === "map"
    ? { ...node, entries: node.entries.flatMap((one) => keep(one, one.key)) }
    : { ...node, items: node.items.flatMap(keep) };
}
