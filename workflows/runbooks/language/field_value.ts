import { parseNanoseconds } from "../../../config/documents/scalars/duration.ts";
import type { Json } from "../../../lib/json.ts";
import { parseVersion } from "../../../lib/version.ts";
import type {
  FieldType,
  ValueField,
  ValueFields,
} from "../../runbook_cel/field.ts";
import { suggest } from "./match_shape.ts";
import { parseCountOrPercent } from "./scalars.ts";
import { opening } from "../../runbook_cel/template_text.ts";

/** An invalid value. */
export interface ValueFault {
  /** Keys and indices, relative to the checked value. */
  readonly path: readonly (string | number)[];
  /** Error message, upper case first, no period. */
  readonly message: string;
  readonly hint: string;
}

const expectations: Readonly<Record<FieldType, string>> = {
  string: "a string",
  int: "a whole number such as 3",
  double: "a number such as 0.5",
  bool: "true or false",
  duration: "a duration such as 90s or 1h30m",
  timestamp: "a time such as 2026-08-22T20:00:00Z",
  semver: "a version such as v1.13.4",
  enum: "one of the values",
  countOrPercent: "a number such as 2, or a percentage such as 25%",
  path: "the path of a file",
  node: "a node name",
  nodes: "a list of node names",
  secret: "a secret through an expression",
  list: "a list",
  map: "a mapping",
  object: "a mapping",
  any: "a value",
};

/** Describes valid values of a field. */
export function formatExpected({ type, values }: ValueField): string {
  return type === "enum" && values !== undefined
    ? `one of ${values.join(", ")}`
    : expectations[type];
}

/**
 * Validates a value. Strings with `${{ expression }}` are accepted:
 * their type is not known here.
 */
export function valueFaults(
  value: Json,
  field: ValueField,
  path: ValueFault["path"] = [],
): readonly ValueFault[] {
  if (field.type === "any") return [];
  if (typeof value === "string" && value.includes(opening)) return [];
  // Null counts as absent.
  if (value === null) return [];
  if (!isOfType(value, field)) return [findFault(value, field, path)];
  return partFaults(value, field, path);
}

/**
 * Finds unknown keys and missing required fields.
 *
 * @param owner Name of the owner of the inputs; absent for parts of a value.
 */
export function fieldsFaults(
  values: Readonly<Record<string, Json>>,
  fields: ValueFields,
  { path = [], owner }: {
    readonly path?: ValueFault["path"];
    readonly owner?: string;
  },
): readonly ValueFault[] {
  const known = Object.keys(fields);
  const wrong = Object.entries(values).flatMap(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) return valueFaults(value, field, [...path, key]);
    return [{
      path: [...path, key],
      message: owner === undefined
        ? `There is no field "${key}" here`
        : `"${key}" is not an input of "${owner}"`,
      hint: suggest(key, known),
    }];
  });
  const missing = Object.entries(fields).flatMap(([key, field]) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    const isGiven = value !== undefined && value !== null;
    if (!field.required || isGiven || field.initial !== undefined) return [];
    return [{
      path,
      message: owner === undefined
        ? `"${key}" is missing here`
        : `"${owner}" needs "${key}"`,
      hint: `Give ${formatExpected(field)}`,
    }];
  });
  return [...wrong, ...missing];
}

function isOfType(value: Json, { type, values }: ValueField): boolean {
  switch (type) {
    case "int":
      return Number.isSafeInteger(value);
    case "double":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "countOrPercent":
      return parseCountOrPercent(value) !== undefined;
    case "duration":
      return isDuration(value);
    case "timestamp":
      return typeof value === "string" && isTimestamp(value);
    case "semver":
      return typeof value === "string" && parseVersion(value) !== undefined;
    case "enum":
      return typeof value === "string" && (values ?? []).includes(value);
    case "string":
      return typeof value === "string";
    case "path":
    case "node":
      return typeof value === "string" && value !== "";
    case "nodes":
    case "list":
      return Array.isArray(value);
    case "map":
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    case "secret":
      // No literal value has this type.
      return false;
    default:
      return true;
  }
}

function isDuration(value: Json): boolean {
  if (value === 0) return true;
  const length = typeof value === "string"
    ? parseNanoseconds(value)
    : undefined;
  return length !== undefined && length >= 0n;
}

function isTimestamp(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/
    .test(text) && !Number.isNaN(Date.parse(text));
}

function partFaults(
  value: Json,
  { type, items, fields }: ValueField,
  path: ValueFault["path"],
): readonly ValueFault[] {
  if (type === "nodes") return itemFaults(value, nodeField, path);
  if (type === "list" && items !== undefined) {
    return itemFaults(value, items, path);
  }
  // `isOfType` has checked that it is a mapping.
  const map = value as Readonly<Record<string, Json>>;
  if (type === "map" && items !== undefined) {
    return Object.entries(map).flatMap(([key, item]) =>
      valueFaults(item, items, [...path, key])
    );
  }
  if (type === "object" && fields !== undefined) {
    return fieldsFaults(map, fields, { path });
  }
  return [];
}

const nodeField: ValueField = { type: "node", summary: "Name of a node" };

function itemFaults(
  value: Json,
  field: ValueField,
  path: ValueFault["path"],
): readonly ValueFault[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: Json, index) =>
    valueFaults(item, field, [...path, index])
  );
}

function findFault(
  value: Json,
  field: ValueField,
  path: ValueFault["path"],
): ValueFault {
  if (field.type === "secret") {
    // The message omits the value, a secret.
    const hint = 'Use an input of type "secret" instead';
    return { path, message: "The file contains a secret", hint };
  }
  const shown = shownValue(value);
  if (field.type === "enum" && typeof value === "string") {
    const message = `${shown} is not one of the allowed values`;
    return { path, message, hint: suggest(value, field.values ?? []) };
  }
  const number = field.type === "duration" && typeof value === "number";
  const message = number
    ? `${shown} has no unit`
    : `${shown} is not ${formatName(field)}`;
  const hint = field.type === "string" && typeof value !== "object"
    ? `Write it in quotes: "${value}"`
    : `Give ${formatExpected(field)}`;
  return { path, message, hint };
}

function formatName(field: ValueField): string {
  return formatExpected(field).replace(/,? (such as|or a share).*$/, "");
}

function shownValue(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const longest = 60;
