import type { FieldType, ValueField } from "./field.ts";
import { anyField, holdsSecret, isOptional } from "./resolve.ts";

const textual: ReadonlySet<FieldType> = new Set(
  ["string", "semver", "enum", "path", "node"],
);

/** Type of an unknown value, for example if its module does not exist. */
export const unknownField: ValueField = { type: "any", summary: "Unknown" };

/** Our types for scalar types of the library. */
const plainFields: Readonly<Record<string, FieldType>> = {
  string: "string",
  int: "int",
  uint: "int",
  double: "double",
  bool: "bool",
  "google.protobuf.Duration": "duration",
  "google.protobuf.Timestamp": "timestamp",
  secret: "secret",
};

/** Parses the name of a library type. `name`: `list<string>`. */
export function findField(
  name: string,
  objects: ReadonlyMap<string, ValueField>,
): ValueField {
  const type = plainFields[name];
  if (type !== undefined) return { type, summary: "Value" };
  const object = objects.get(name);
  if (object !== undefined) return object;
  const [, kind, inner = ""] = /^(list|map)<(.+)>$/.exec(name) ?? [];
  if (kind === "list") {
    return { type: "list", summary: "List", items: findField(inner, objects) };
  }
  if (kind === "map" || name === "map") {
    const items = findField(inner.replace(/^\w+, /, ""), objects);
    return { type: "map", summary: "Map", items };
  }
  return name === "list"
    ? { type: "list", summary: "List", items: anyField }
    : anyField;
}

/** Reason why a value does not have the required type. */
interface TypeMismatch {
  readonly message: string;
  readonly hint?: string;
}

/** Reports why a value does not have the required type; `undefined` when it does, or when that is not known yet. */
export function typeMismatch(
  actual: ValueField,
  expected: ValueField,
): TypeMismatch | undefined {
  if (expected === unknownField) return undefined;
  if (!holdsSecret(expected) && holdsSecret(actual)) {
    return {
      message: "A secret cannot be used here",
      hint: "Only secret inputs accept a secret",
    };
  }
  if (fits(actual, expected)) return enumMisfit(actual, expected);
  const [is, wanted] = [typeText(actual), typeText(expected)];
  const message = is === wanted
    ? `It is ${is} with different fields than required`
    : `It is ${is}, and ${wanted} is required`;
  const hint = conversion(actual, expected);
  return hint === undefined ? { message } : { message, hint };
}

function fits(actual: ValueField, expected: ValueField): boolean {
  if (holdsSecret(actual) && !holdsSecret(expected)) return false;
  if (actual.type === "any" || expected.type === "any") return true;
  switch (expected.type) {
    case "double":
      return actual.type === "double" || actual.type === "int";
    case "countOrPercent":
      return ["countOrPercent", "int"].includes(actual.type) ||
        textual.has(actual.type);
    case "nodes":
      return isList(actual, (items) => textual.has(items.type));
    case "list":
      return isList(
        actual,
        (items) => fits(items, expected.items ?? anyField),
      );
    case "map":
      return fitsMap(actual, expected);
    case "object":
      return fitsObject(actual, expected);
    default:
      return actual.type === expected.type ||
        textual.has(expected.type) && textual.has(actual.type);
  }
}

function isList(
  actual: ValueField,
  test: (items: ValueField) => boolean,
): boolean {
  if (actual.type === "nodes") return test({ type: "node", summary: "Name" });
  return actual.type === "list" && test(actual.items ?? anyField);
}

function fitsMap(actual: ValueField, expected: ValueField): boolean {
  const items = expected.items ?? anyField;
  if (actual.type === "map") return fits(actual.items ?? anyField, items);
  return actual.type === "object" &&
    Object.values(actual.fields ?? {}).every((field) => fits(field, items));
}

function fitsObject(actual: ValueField, expected: ValueField): boolean {
  if (actual.type === "map") return true;
  if (actual.type !== "object") return false;
  const has = actual.fields;
  if (has === undefined) return true;
  return Object.entries(expected.fields ?? {}).every(([name, field]) => {
    const own = has[name];
    return own === undefined ? isOptional(field) : fits(own, field);
  });
}

function enumMisfit(
  actual: ValueField,
  expected: ValueField,
): TypeMismatch | undefined {
  if (expected.type !== "enum" || actual.type !== "enum") return undefined;
  const wrong = (actual.values ?? []).find((one) =>
    !(expected.values ?? []).includes(one)
  );
  if (wrong === undefined) return undefined;
  return {
    message: `It may be "${wrong}", and ${typeText(expected)} is required`,
  };
}

function conversion(
  actual: ValueField,
  expected: ValueField,
): string | undefined {
  if (expected.type === "bool") return "Compare it with a value";
  if (
    actual.type === "object" && actual.fields?.name &&
    expected.type !== "object"
  ) {
    return "Take its name: node.name";
  }
  if (textual.has(expected.type) && scalar.has(actual.type)) {
    return "Convert it with string(…)";
  }
  const makers: Partial<Record<FieldType, string>> = {
    duration: 'Convert it with duration(…), as in duration("5m")',
    timestamp: "Convert it with timestamp(…)",
    int: "Convert it with int(…)",
  };
  return textual.has(actual.type) ? makers[expected.type] : undefined;
}

const scalar: ReadonlySet<FieldType> = new Set<FieldType>([
  ...textual,
  "int",
  "double",
  "bool",
  "duration",
  "timestamp",
  "countOrPercent",
]);

/** Reports whether a value can be part of a string; lists of such values can, too. */
export function isTextable({ type, items = anyField }: ValueField): boolean {
  if (type === "any" || type === "nodes" || scalar.has(type)) return true;
  return type === "list" && (items.type === "any" || scalar.has(items.type));
}

/** Names a type for people: `a duration`. */
export function typeText(field: ValueField): string {
  switch (field.type) {
    case "int":
      return "a whole number";
    case "double":
      return "a number";
    case "bool":
      return "true or false";
    case "string":
      return "a string";
    case "semver":
      return "a version";
    case "timestamp":
      return "a time";
    case "enum":
      return `one of ${(field.values ?? []).join(", ")}`;
    case "countOrPercent":
      return "a number or a percentage such as 25%";
    case "path":
      return "a path";
    case "node":
      return "a node name";
    case "nodes":
      return "a list of node names";
    case "list":
      return field.items === undefined || field.items.type === "any"
        ? "a list"
        : `a list, each element ${typeText(field.items)}`;
    case "object":
      return "an object";
    case "any":
      return "anything";
    default:
      return `a ${field.type}`;
  }
}
