/** Documents in which one mapping is there, and nothing but what it needs around it. */

import type {
  DocumentKind,
  Fields,
  Shape,
} from "../../../config/documents/schema.ts";
import type { ConfigNode, MapEntry } from "../../../config/tree/node.ts";

/** A mapping with known keys somewhere in a document. */
export interface Struct {
  /** Keys from the root; 0 for the first element of a list, `own` for a key of the user. */
  readonly path: readonly (string | number)[];
  /** Its keys. */
  readonly fields: Fields;
  /** Spaces in front of its keys. */
  readonly column: number;
  /** Spaces in front of the key or dash whose value it is. */
  readonly outer: number;
}

/** Key of the user in mappings without known keys. */
const own = "own";

/** Finds all mappings of a kind that are not deprecated, the root first. */
export function* listStructs({ fields }: DocumentKind): Generator<Struct> {
  yield* structs({ path: [], fields, column: 0, outer: 0 });
}

function* structs(struct: Struct): Generator<Struct> {
  yield struct;
  for (const [key, { shape, deprecated }] of Object.entries(struct.fields)) {
    if (deprecated !== undefined) continue;
    const path = [...struct.path, key];
    yield* within(shape, path, struct.column);
  }
}

function* within(
  shape: Shape,
  path: readonly (string | number)[],
  outer: number,
): Generator<Struct> {
  const behindDash = path.at(-1) === 0;
  const column = behindDash ? outer + 2 : 4 * Math.floor((outer + 4) / 4);
  if (shape.shape === "struct") {
    yield* structs({ path, fields: shape.fields, column, outer });
  } else if (shape.shape === "list") {
    yield* within(shape.of, [...path, 0], column);
  } else if (shape.shape === "map") {
    yield* within(shape.of, [...path, own], column);
  }
}

/**
 * Makes the root of a document.
 *
 * @param kind Its kind.
 * @param path Where a value is.
 * @param value The value.
 */
export function rootWith(
  { kind }: DocumentKind,
  path: readonly (string | number)[],
  value: ConfigNode,
): ConfigNode {
  const identity = kind === "v1alpha1"
    ? { persist: "true" }
    : { apiVersion: "v1alpha1", kind };
  const entries: MapEntry[] = Object.entries(identity).map(([key, text]) => ({
    key,
    value: { kind: "scalar", text, plain: text === "true" },
  }));
  const inside = path.toReversed().reduce<ConfigNode>(around, value);
  const rest = inside.kind === "map" ? inside.entries : [];
  return { kind: "map", entries: [...entries, ...rest] };
}

function around(value: ConfigNode, step: string | number): ConfigNode {
  return step === 0
    ? { kind: "list", items: [{ value }] }
    : { kind: "map", entries: [makeEntry(String(step), value)] };
}

/** An entry that stays even when it is empty, since it has a comment. */
export function makeEntry(key: string, value: ConfigNode): MapEntry {
  return { key, value, before: [] };
}
