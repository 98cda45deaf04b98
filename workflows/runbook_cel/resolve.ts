import { nearest } from "../../lib/text/nearest.ts";
import type { ValueField, ValueFields } from "./field.ts";
import type { ExpressionProblem, Reference } from "./syntax.ts";

/** Type of an unknown value. */
export const anyField: ValueField = { type: "any", summary: "Anything" };

type ResolvedField = {
  readonly field: ValueField;
  /** Path of the optional input it goes through; absent if it is always present. */
  readonly absent?: string;
} | {
  readonly fault: ExpressionProblem;
};

/** Resolves a reference to its type. */
export function resolve(
  { path, offsets, keys, over }: Reference,
  declarations: ValueFields,
): ResolvedField {
  const [name, ...members] = path;
  if (typeof name !== "string") return { field: anyField };
  if (over === undefined && !Object.hasOwn(declarations, name)) {
    return { fault: unknownName(name, offsets[0] ?? 0, declarations) };
  }
  let field = (over ? findElement(over, declarations) : declarations[name]) ??
    anyField;
  let absent: string | undefined;
  let here = name;
  for (const [index, member] of members.entries()) {
    const offset = offsets[index + 1] ?? 0;
    if (member === null) {
      const wrong = wrongKey(field, keys[index + 1], here, declarations);
      if (wrong !== undefined) return { fault: { offset, ...wrong } };
    }
    const next = findMember(field, member);
    if (next === undefined) {
      return { fault: unknownMember(here, member ?? "", offset, field) };
    }
    here += member === null ? "[…]" : spelt(member);
    if (name === "inputs" && index === 0 && isOptional(next)) absent = here;
    field = next;
  }
  return { field, absent };
}

/** Reports whether a value may be omitted. */
export function isOptional(field: ValueField): boolean {
  return field.required !== true && field.initial === undefined;
}

/** Reports whether a type contains a secret. */
export function holdsSecret(field: ValueField): boolean {
  if (field.type === "secret") return true;
  if (field.items !== undefined && holdsSecret(field.items)) return true;
  return Object.values(field.fields ?? {}).some(holdsSecret);
}

/** Type of a loop variable: elements of a list, keys of a map. */
function findElement(over: Reference, declarations: ValueFields): ValueField {
  const list = resolve(over, declarations);
  if ("fault" in list) return anyField;
  const { type, items } = list.field;
  if (type === "list") return items ?? anyField;
  if (type === "nodes") return { type: "node", summary: "Name of the node" };
  return type === "map" ? { type: "string", summary: "Key" } : anyField;
}

function findMember(
  field: ValueField,
  member: string | null,
): ValueField | undefined {
  switch (field.type) {
    case "object":
      if (field.fields === undefined) return anyField;
      if (member === null) return commonField(Object.values(field.fields));
      return Object.hasOwn(field.fields, member)
        ? field.fields[member]
        : undefined;
    case "map":
    case "list":
      return field.items ?? anyField;
    case "nodes":
      return { type: "node", summary: "Name of the node" };
    default:
      // The library reports values without members.
      return anyField;
  }
}

function commonField(
  [first = anyField, ...others]: readonly ValueField[],
): ValueField {
  return others.every((one) => one === first) ? first : anyField;
}

/** Reason why a value in brackets is not a valid key. */
function wrongKey(
  { type, fields, byStep }: ValueField,
  key: Reference["keys"][number],
  owner: string,
  declarations: ValueFields,
): Pick<ExpressionProblem, "message" | "hint"> | undefined {
  if (byStep && fields !== undefined) {
    const [step = "step"] = Object.keys(fields);
    return {
      message: `"${owner}" has steps, and each of them has results per node`,
      hint: `Name the step first: ${owner}${spelt(step)}[node.name]`,
    };
  }
  const found = key === undefined || key === "number"
    ? undefined
    : resolve(key, declarations);
  const given = key === "number"
    ? "int"
    : found !== undefined && "field" in found
    ? found.field.type
    : "any";
  if (given === "any") return undefined;
  const isNumber = given === "int" || given === "double";
  if (type === "map" || type === "object") {
    return isTextual(given)
      ? undefined
      : { message: `Keys of "${owner}" are strings` };
  }
  if (type !== "list" && type !== "nodes") return undefined;
  return isNumber
    ? undefined
    : { message: `Elements of "${owner}" are numbered from 0` };
}

function isTextual(type: ValueField["type"]): boolean {
  return ["string", "semver", "enum", "path", "node"].includes(type);
}

function unknownName(
  name: string,
  offset: number,
  declarations: ValueFields,
): ExpressionProblem {
  const known = Object.keys(declarations);
  const near = nearest(name, known);
  const hint = near === undefined
    ? `In scope here: ${known.join(", ")}`
    : `Did you mean "${near}"?`;
  return { offset, message: `Unknown name "${name}"`, hint };
}

function unknownMember(
  owner: string,
  member: string,
  offset: number,
  { fields = {} }: ValueField,
): ExpressionProblem {
  const known = Object.keys(fields);
  const message = `"${owner}" has no "${member}"`;
  // A name with a hyphen parses as a subtraction.
  const torn = known.find((name) => name.startsWith(`${member}-`));
  if (torn !== undefined) {
    return { offset, message, hint: `Write ${owner}${spelt(torn)}` };
  }
  const near = nearest(member, known);
  if (near !== undefined) {
    return { offset, message, hint: `Did you mean "${near}"?` };
  }
  const hint = known.length === 0
    ? `"${owner}" has no fields here`
    : `It has: ${known.join(", ")}`;
  return { offset, message, hint };
}

function spelt(member: string): string {
  return /^[A-Za-z_]\w*$/.test(member)
    ? `.${member}`
    : `[${JSON.stringify(member)}]`;
}
