/** Values whose texts hold expressions: what is wrong with them, and what becomes of them. */

import { nearest } from "../../config/nearest.ts";
import { ConfigError } from "../../errors.ts";
import { checkExpression, evaluate, type Values } from "../expression.ts";
import type { Json } from "../operation.ts";
import type { Field, Fields, FieldType } from "../runbooks/field.ts";
import type { Template } from "../runbooks/runbook.ts";
import type { World } from "./declare.ts";
import { literalMisfit } from "./literal.ts";
import { anyField, holdsSecret } from "./resolve.ts";
import { parseTemplate, type Part } from "./template_text.ts";
import { isTextable, misfit, typeText } from "./types.ts";

/** A mistake in a value. */
export interface TemplateMistake {
  /** Keys and indexes that lead to it; empty for the value itself. */
  readonly path: readonly (string | number)[];
  /** Where it begins in the text, in characters from 0; absent for what is no text. */
  readonly offset?: number;
  /** What is wrong; capital first, no period. */
  readonly message: string;
  /** What would be right. */
  readonly hint?: string;
}

/** What a check of a value finds. */
export interface CheckedTemplate {
  /** Type of the value; `any` where there are mistakes. */
  readonly field: Field;
  /** All mistakes, in the order of the value. */
  readonly mistakes: readonly TemplateMistake[];
}

/** Types that texts put together from parts may have; others are not known before. */
const composable: ReadonlySet<FieldType> = new Set([
  "any",
  "string",
  "semver",
  "enum",
  "path",
  "node",
  "countOrPercent",
  "duration",
  "timestamp",
]);

interface Walk {
  readonly declarations: Fields;
  readonly mistakes: TemplateMistake[];
}

/**
 * Checks a value and all expressions in it.
 *
 * @param value As it stands in the file.
 * @param expected Type it has to have.
 * @param declarations Names in scope.
 */
export function checkTemplate(
  value: Template,
  expected: Field,
  declarations: Fields,
): CheckedTemplate {
  const walk: Walk = { declarations, mistakes: [] };
  const field = check(value, expected, [], walk);
  return { field, mistakes: walk.mistakes };
}

/**
 * Checks named values, and whether all are there that have to be.
 *
 * @param given Values by their names.
 * @param expected Types by the names that are known.
 * @param declarations Names in scope.
 */
export function checkTemplates(
  given: Readonly<Record<string, Template>>,
  expected: Fields,
  declarations: Fields,
): readonly TemplateMistake[] {
  const walk: Walk = { declarations, mistakes: [] };
  checkParts(given, expected, [], walk);
  return walk.mistakes;
}

/**
 * Evaluates all expressions of a value. Texts that are one expression keep
 * its type; members whose value is absent are left away.
 *
 * @param value As it stands in the file.
 * @param declarations Types of the names in scope.
 * @param scope Their values.
 * @param world Answers `reached` and `now`.
 * @returns `undefined` when the whole value is absent.
 * @throws {ConfigError} If an expression has no value for this scope.
 */
export function renderTemplate(
  value: Template,
  declarations: Fields,
  scope: Values,
  world: World,
): Json | undefined {
  const render = (one: Json) => renderTemplate(one, declarations, scope, world);
  if (Array.isArray(value)) {
    return value.map(render).filter((one) => one !== undefined);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, render(one)] as const)
        .filter((entry): entry is [string, Json] => entry[1] !== undefined),
    );
  }
  if (typeof value !== "string") return value;
  const { parts, open } = parseTemplate(value);
  if (open !== undefined) {
    throw new ConfigError(`Cannot evaluate "${value}": an expression is open`);
  }
  const [first] = parts;
  if (parts.length === 1 && first && "source" in first) {
    return evaluate(first.source, declarations, scope, world);
  }
  return parts.map((part) =>
    "text" in part
      ? part.text
      : textOf(part.source, evaluate(part.source, declarations, scope, world))
  ).join("");
}

function textOf(source: string, value: Json | undefined): string {
  if (value === undefined) {
    throw new ConfigError(`Cannot put "${source}" into a text: it is absent`);
  }
  if (Array.isArray(value)) {
    return value.map((one) => textOf(source, one)).join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function check(
  value: Template,
  expected: Field,
  path: TemplateMistake["path"],
  walk: Walk,
): Field {
  if (typeof value === "string") return checkText(value, expected, path, walk);
  if (typeof value !== "object" || value === null) {
    const wrong = literalMisfit(value, expected);
    if (wrong !== undefined) walk.mistakes.push({ path, ...wrong });
    return literalField(value);
  }
  if (Array.isArray(value)) return checkList(value, expected, path, walk);
  const object = value as Readonly<Record<string, Json>>;
  if (expected.type !== "object" || expected.fields === undefined) {
    const items = partsOf("map", expected, path, walk);
    const fields = Object.fromEntries(
      Object.entries(object).map((
        [key, one],
      ) => [key, check(one, items, [...path, key], walk)]),
    );
    return { type: "object", summary: "Object", fields };
  }
  checkParts(object, expected.fields, path, walk);
  return expected;
}

function checkList(
  value: readonly Template[],
  expected: Field,
  path: TemplateMistake["path"],
  walk: Walk,
): Field {
  const items = expected.type === "nodes"
    ? { type: "node", summary: "Name" } as const
    : partsOf("list", expected, path, walk);
  const [first = anyField, ...others] = value.map((one, index) =>
    check(one, items, [...path, index], walk)
  );
  const isSame = others.every(({ type }) => type === first.type);
  return {
    type: "list",
    summary: "List",
    items: isSame ? first : [first, ...others].find(holdsSecret) ?? anyField,
  };
}

/** Type of the parts of a list or map; a mistake when something else is wanted. */
function partsOf(
  kind: "list" | "map",
  expected: Field,
  path: TemplateMistake["path"],
  walk: Walk,
): Field {
  const { type, items = anyField } = expected;
  if (type === kind) return items;
  if (type !== "any" && !(kind === "map" && type === "object")) {
    const what = kind === "list" ? "a list" : "an object";
    const message = `It is ${what}, and ${typeText(expected)} is wanted`;
    walk.mistakes.push({ path, message });
  }
  return anyField;
}

function checkParts(
  given: Readonly<Record<string, Template>>,
  expected: Fields,
  path: TemplateMistake["path"],
  walk: Walk,
): void {
  const known = Object.keys(expected);
  for (const [name, one] of Object.entries(given)) {
    const field = Object.hasOwn(expected, name) ? expected[name] : undefined;
    if (field === undefined) {
      const near = nearest(name, known);
      const hint = near !== undefined
        ? `Did you mean "${near}"?`
        : known.length === 0
        ? "Nothing is taken here"
        : `Known are: ${known.join(", ")}`;
      walk.mistakes.push({ path, message: `Unknown name "${name}"`, hint });
    } else check(one, field, [...path, name], walk);
  }
  for (const [name, field] of Object.entries(expected)) {
    const isNeeded = field.required === true && field.initial === undefined;
    if (!isNeeded || Object.hasOwn(given, name)) continue;
    const message = `"${name}" is missing, ${typeText(field)}`;
    walk.mistakes.push({ path, message, hint: field.summary });
  }
}

function checkText(
  text: string,
  expected: Field,
  path: TemplateMistake["path"],
  walk: Walk,
): Field {
  const { parts, open } = parseTemplate(text);
  if (open !== undefined) {
    const message = "An expression begins here and does not end";
    const hint = "End it with }}, or write $${{ for the characters themselves";
    walk.mistakes.push({ path, offset: open, message, hint });
    return anyField;
  }
  const [first] = parts;
  if (parts.length > 1 || first !== undefined && "source" in first) {
    return parts.length === 1
      ? checkWhole(first as Source, expected, path, walk)
      : checkComposed(parts, expected, path, walk);
  }
  const wrong = literalMisfit(first?.text ?? "", expected);
  if (wrong !== undefined) walk.mistakes.push({ path, offset: 0, ...wrong });
  return { type: "string", summary: "Text" };
}

type Source = Extract<Part, { readonly source: string }>;

function checkWhole(
  { source, offset }: Source,
  expected: Field,
  path: TemplateMistake["path"],
  walk: Walk,
): Field {
  const checked = checkExpression(source, walk.declarations, expected);
  if ("fault" in checked) {
    const { fault } = checked;
    walk.mistakes.push({ path, ...fault, offset: offset + fault.offset });
    return anyField;
  }
  const { absent, field } = checked;
  if (absent !== undefined && expected.required === true) {
    const message = `"${absent}" may be absent, and ${
      typeText(expected)
    } is wanted`;
    const hint = `Ask has(${absent}) first, or give the input a default`;
    walk.mistakes.push({ path, offset, message, hint });
  }
  return field;
}

function checkComposed(
  parts: readonly Part[],
  expected: Field,
  path: TemplateMistake["path"],
  walk: Walk,
): Field {
  const { mistakes, declarations } = walk;
  if (!composable.has(expected.type)) {
    const message = `It is a text, and ${typeText(expected)} is wanted`;
    mistakes.push({ path, offset: 0, message });
  }
  for (const part of parts) {
    if ("text" in part) continue;
    const { source, offset } = part;
    const checked = checkExpression(source, declarations);
    if ("fault" in checked) {
      const { fault } = checked;
      mistakes.push({ path, ...fault, offset: offset + fault.offset });
    } else if (checked.absent !== undefined) {
      const message = `"${checked.absent}" may be absent`;
      const hint =
        `Ask has(${checked.absent}) first, or give the input a default`;
      mistakes.push({ path, offset, message, hint });
    } else {
      const wrong = inText(checked.field);
      if (wrong !== undefined) mistakes.push({ path, offset, ...wrong });
    }
  }
  return { type: "string", summary: "Text" };
}

function inText(field: Field): Pick<TemplateMistake, "message"> | undefined {
  const secret = misfit(field, { type: "string", summary: "Text" });
  if (holdsSecret(field)) return secret;
  if (isTextable(field)) return undefined;
  return {
    message: `It is ${typeText(field)}, which cannot be a part of a text`,
  };
}

function literalField(value: number | boolean | null): Field {
  switch (typeof value) {
    case "number":
      return {
        type: Number.isInteger(value) ? "int" : "double",
        summary: "Number",
      };
    case "boolean":
      return { type: "bool", summary: "Truth" };
    default:
      return anyField;
  }
}
