/** Values of manifests: what a document says, without how it is written. */

import { type Document, isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import { expandAliases } from "../yaml/yaml_alias.ts";

/** A value; mappings keep the order of their keys. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | ReadonlyMap<string, Value>;

/** A mapping. */
export type ValueMap = ReadonlyMap<string, Value>;

/** What a document says that is wrong, and where. */
export interface ValueFault {
  /** What is wrong; no period. */
  readonly fault: string;
  /** Offset in the text; `undefined` when not known. */
  readonly offset: number | undefined;
  /** What would be right. */
  readonly hint?: string;
}

/** What a document says. */
export interface Read {
  /** The value, aliases and merge keys resolved. */
  readonly value: Value;
  /** The first thing that is wrong. */
  readonly fault: ValueFault | undefined;
}

/** What aliases may stand for, all together, in characters and nodes. */
export const copyLimit = 200_000;

/**
 * Reads the value of a document, which stays as it is.
 *
 * @param document Parsed without errors.
 * @param text Its text.
 */
export function readValue(document: Document, text: string): Read {
  // Only these two make a value stand in a place where it is not written.
  if (!text.includes("*") && !text.includes("<<")) {
    return plainValue(document);
  }
  const expanded = document.clone();
  const fault = expandAliases(expanded, copyLimit);
  return fault === undefined ? plainValue(expanded) : { value: null, fault };
}

/**
 * Makes a mapping.
 *
 * @param entries Keys and values in order; those without a value are left out.
 */
export function mapOf(
  entries: Readonly<Record<string, Value | undefined>>,
): ValueMap {
  return new Map(
    Object.entries(entries).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const]
    ),
  );
}

/**
 * Tells mappings from other values.
 *
 * @param value Any value.
 */
export function isValueMap(value: Value | undefined): value is ValueMap {
  return value instanceof Map;
}

/**
 * Tells lists from other values.
 *
 * @param value Any value.
 */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/**
 * Looks a value up.
 *
 * @param value Where to start.
 * @param path Keys and indices.
 * @returns `undefined` when there is nothing.
 */
export function valueAt(
  value: Value | undefined,
  path: readonly (string | number)[],
): Value | undefined {
  let found = value;
  for (const step of path) {
    if (typeof step === "number") {
      found = isList(found) ? found[step] : undefined;
    } else found = isValueMap(found) ? found.get(step) : undefined;
  }
  return found;
}

/**
 * Tells whether two values are the same; the order of keys does not matter.
 *
 * @param a One value.
 * @param b The other value.
 */
export function sameValue(a: Value, b: Value): boolean {
  if (isList(a)) {
    return isList(b) && a.length === b.length &&
      a.every((item, i) => sameValue(item, b[i] ?? null));
  }
  if (isValueMap(a)) {
    return isValueMap(b) && a.size === b.size &&
      [...a].every(([key, value]) => {
        const other = b.get(key);
        return other !== undefined && sameValue(value, other);
      });
  }
  return Object.is(a, b);
}

function plainValue(document: Document): Read {
  const faults: ValueFault[] = [];
  const value = valueOf(document.contents, faults);
  return { value, fault: faults[0] };
}

function valueOf(node: unknown, faults: ValueFault[]): Value {
  if (isMap(node)) return mapValue(node, faults);
  if (isSeq(node)) return node.items.map((item) => valueOf(item, faults));
  // The core schema makes no other types of scalars.
  return isScalar(node) ? node.value as Value : null;
}

function mapValue(map: YAMLMap, faults: ValueFault[]): ValueMap {
  const entries = new Map<string, Value>();
  for (const { key: node, value } of map.items) {
    const offset = rangeStart(node) ?? rangeStart(map);
    if (!isScalar(node)) {
      faults.push({ fault: "a key is not a string", offset });
      continue;
    }
    const key = String(node.value);
    if (entries.has(key)) {
      const fault = `"${key}" occurs twice in one mapping`;
      faults.push({ fault, offset, hint: "Keep one of them" });
    }
    entries.set(key, valueOf(value, faults));
  }
  return entries;
}

function rangeStart(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node)
    ? node.range?.[0]
    : undefined;
}
