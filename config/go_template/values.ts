/** Values of Go templates. */

import { type ConfigNode, isNull } from "../tree/node.ts";
import { coreValue } from "../tree/core_value.ts";
import type { Json } from "../../lib/json.ts";

/** A value; whole numbers are numbers. */
export type GoValue =
  | null
  | boolean
  | number
  | string
  | GoFloat
  | readonly GoValue[]
  | GoMap;

/** A mapping. Functions such as `set` change it. */
export type GoMap = Map<string, GoValue>;

/** A floating-point number: printed in another way than a whole one. */
export class GoFloat {
  /** Wraps a number. */
  constructor(readonly value: number) {}
}

/** Converts a YAML value. */
export function fromNode(node: ConfigNode | undefined): GoValue {
  if (node === undefined || isNull(node)) return null;
  switch (node.kind) {
    case "list":
      return node.items.map(({ value }) => fromNode(value));
    case "map":
      return new Map(
        node.entries.map(({ key, value }) => [key, fromNode(value)] as const),
      );
    case "scalar": {
      const value = coreValue(node);
      const isFloat = typeof value === "number" && /[.eE]/.test(node.text) &&
        !node.text.startsWith("0x");
      return isFloat ? new GoFloat(value) : value as GoValue;
    }
  }
}

/** Converts JSON; as in Go, its numbers are floating-point. */
export function fromJson(value: Json): GoValue {
  if (typeof value === "number") return new GoFloat(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromJson);
  return new Map(
    Object.entries(value).map(([key, one]) => [key, fromJson(one)] as const),
  );
}

/** Converts to JSON, with sorted keys. */
export function toJson(value: GoValue): Json {
  if (value instanceof GoFloat) return value.value;
  if (value instanceof Map) {
    return Object.fromEntries(
      sortedEntries(value).map(([key, one]) => [key, toJson(one)] as const),
    );
  }
  return isList(value) ? value.map(toJson) : value;
}

/** Reports whether a value is a list. */
export function isList(value: GoValue): value is readonly GoValue[] {
  return Array.isArray(value);
}

/** Entries in the order of their keys. */
export function sortedEntries(
  map: GoMap,
): readonly (readonly [string, GoValue])[] {
  return [...map].sort(([a], [b]) => a < b ? -1 : 1);
}

/** Reports whether a value counts as true: it is not empty. */
export function isTrue(value: GoValue): boolean {
  if (value === null) return false;
  if (value instanceof GoFloat) return value.value !== 0;
  if (value instanceof Map) return value.size > 0;
  return isList(value) ? value.length > 0 : Boolean(value);
}

/** Kind, as `kindOf` prints it. */
export function findKind(value: GoValue): string {
  if (value === null) return "invalid";
  if (value instanceof GoFloat) return "float64";
  if (value instanceof Map) return "map";
  if (isList(value)) return "slice";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
      return "int";
    default:
      return "string";
  }
}

/** Formats a value as `{{ value }}` prints it. */
export function formatValue(value: GoValue, nil = "<no value>"): string {
  if (value === null) return nil;
  if (value instanceof GoFloat) return formatFloat(value.value);
  if (value instanceof Map) {
    const entries = sortedEntries(value).map(([key, one]) =>
      `${key}:${formatValue(one, "<nil>")}`
    );
    return `map[${entries.join(" ")}]`;
  }
  return isList(value)
    ? `[${value.map((one) => formatValue(one, "<nil>")).join(" ")}]`
    : String(value);
}

/** `%v` of a floating-point number: the shortest digits, with an exponent below 1e-4 and from 1e+06. */
function formatFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const sign = power < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** What `range` walks: keys or indexes with their values; `undefined` if it cannot. */
export function listEntries(
  value: GoValue,
): readonly (readonly [GoValue, GoValue])[] | undefined {
  if (value === null) return [];
  if (value instanceof Map) return sortedEntries(value);
  if (isList(value)) return value.map((one, index) => [index, one]);
  if (typeof value !== "number" || value > 1_000_000) return undefined;
  return Array.from({ length: Math.max(0, value) }, (_, i) => [i, i]);
}
