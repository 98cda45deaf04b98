/** Values whose strings contain expressions: their checks and their evaluation. */

import { ConfigError } from "../../errors.ts";
import {
  checkExpression,
  evaluate,
  type ExpressionValues,
} from "./expression.ts";
import type { Json } from "../../lib/json.ts";
import type { FieldType, Template, ValueField, ValueFields } from "./field.ts";
import type { RunQueries } from "./declare.ts";
import { anyField, holdsSecret } from "./resolve.ts";
import { parseTemplate, type TemplatePart } from "./template_text.ts";
import { isTextable, typeMismatch, typeText } from "./types.ts";

interface TemplateProblem {
  /** Keys and indexes of its position; empty for the value itself. */
  readonly path: readonly (string | number)[];
  /** Its offset in the text, in characters from 0; absent if the value is not a string. */
  readonly offset?: number;
  /** Message; capital first, no period. */
  readonly message: string;
  readonly hint?: string;
}

interface CheckedTemplate {
  /** Type of the value; `any` if there are problems. */
  readonly field: ValueField;
  /** All problems, in the order of the value. */
  readonly problems: readonly TemplateProblem[];
}

/** Possible types of strings that are composed of parts; other types are not known before evaluation. */
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

interface TemplateWalk {
  readonly declarations: ValueFields;
  readonly problems: TemplateProblem[];
}

/** Checks all expressions in a value. Literal values are not checked. */
export function checkTemplate(
  value: Template,
  expected: ValueField,
  declarations: ValueFields,
): CheckedTemplate {
  const walk: TemplateWalk = { declarations, problems: [] };
  const field = check(value, expected, [], walk);
  return { field, problems: walk.problems };
}

/**
 * Evaluates all expressions of a value. Strings that are one expression keep
 * its type; members whose value is absent are omitted.
 *
 * @returns `undefined` when the whole value is absent.
 * @throws {ConfigError} If an expression has no value in this scope.
 */
export function renderTemplate(
  value: Template,
  declarations: ValueFields,
  scope: ExpressionValues,
  queries: RunQueries,
): Json | undefined {
  const render = (one: Json) =>
    renderTemplate(one, declarations, scope, queries);
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
    throw new ConfigError(
      `Cannot evaluate "${value}": an expression is not closed`,
    );
  }
  const [first] = parts;
  if (parts.length === 1 && first && "source" in first) {
    return evaluate(first.source, declarations, scope, queries);
  }
  return parts.map((part) =>
    "text" in part ? part.text : formatSource(
      part.source,
      evaluate(part.source, declarations, scope, queries),
    )
  ).join("");
}

/** Finds all expressions in a value. Returns CEL, in the order of the value. */
export function sourcesIn(value: Template): readonly string[] {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).flatMap(sourcesIn);
  }
  if (typeof value !== "string") return [];
  return parseTemplate(value).parts.flatMap((part) =>
    "source" in part ? [part.source] : []
  );
}

function formatSource(source: string, value: Json | undefined): string {
  if (value === undefined) {
    throw new ConfigError(
      `Cannot insert "${source}" into a string: it is absent`,
    );
  }
  if (Array.isArray(value)) {
    return value.map((one) => formatSource(source, one)).join(", ");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function check(
  value: Template,
  expected: ValueField,
  path: TemplateProblem["path"],
  walk: TemplateWalk,
): ValueField {
  if (typeof value === "string") return checkText(value, expected, path, walk);
  if (typeof value !== "object" || value === null) return literalField(value);
  if (Array.isArray(value)) return checkList(value, expected, path, walk);
  const { fields = {}, items = anyField } = expected;
  const parts = Object.entries(value).map(([key, one]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : items;
    return [key, check(one, field ?? anyField, [...path, key], walk)];
  });
  return {
    type: "object",
    summary: "Object",
    fields: Object.fromEntries(parts),
  };
}

function checkList(
  value: readonly Template[],
  expected: ValueField,
  path: TemplateProblem["path"],
  walk: TemplateWalk,
): ValueField {
  const inner = expected.type === "nodes"
    ? { type: "node", summary: "Name" } as const
    : expected.items ?? anyField;
  const [first = anyField, ...others] = value.map((one, index) =>
    check(one, inner, [...path, index], walk)
  );
  const isSame = first.fields === undefined &&
    others.every(({ type }) => type === first.type);
  return {
    type: "list",
    summary: "List",
    items: isSame ? first : [first, ...others].find(holdsSecret) ?? anyField,
  };
}

function checkText(
  text: string,
  expected: ValueField,
  path: TemplateProblem["path"],
  walk: TemplateWalk,
): ValueField {
  const { parts, open } = parseTemplate(text);
  if (open !== undefined) {
    const message = "An expression starts here and is not closed";
    const hint = "End it with }}, or write $${{ for a literal ${{";
    walk.problems.push({ path, offset: open, message, hint });
    return anyField;
  }
  const [first] = parts;
  if (parts.length > 1 || first !== undefined && "source" in first) {
    return parts.length === 1
      ? checkWhole(first as ExpressionPart, expected, path, walk)
      : checkComposed(parts, expected, path, walk);
  }
  return { type: "string", summary: "String" };
}

type ExpressionPart = Extract<TemplatePart, { readonly source: string }>;

function checkWhole(
  { source, offset }: ExpressionPart,
  expected: ValueField,
  path: TemplateProblem["path"],
  walk: TemplateWalk,
): ValueField {
  const checked = checkExpression(source, walk.declarations, expected);
  if ("fault" in checked) {
    const { fault } = checked;
    walk.problems.push({ path, ...fault, offset: offset + fault.offset });
    return anyField;
  }
  const { absent, field } = checked;
  const isNeeded = expected.required === true && expected.initial === undefined;
  if (absent !== undefined && isNeeded) {
    const message = `"${absent}" may be absent, and ${
      typeText(expected)
    } is required`;
    const hint = `Check has(${absent}) first, or give the input a default`;
    walk.problems.push({ path, offset, message, hint });
  }
  return field;
}

function checkComposed(
  parts: readonly TemplatePart[],
  expected: ValueField,
  path: TemplateProblem["path"],
  walk: TemplateWalk,
): ValueField {
  const { problems, declarations } = walk;
  if (!composable.has(expected.type)) {
    const message = `It is a string, and ${typeText(expected)} is required`;
    problems.push({ path, offset: 0, message });
  }
  for (const part of parts) {
    if ("text" in part) continue;
    const { source, offset } = part;
    const checked = checkExpression(source, declarations);
    if ("fault" in checked) {
      const { fault } = checked;
      problems.push({ path, ...fault, offset: offset + fault.offset });
    } else if (checked.absent !== undefined) {
      const message = `"${checked.absent}" may be absent`;
      const hint =
        `Check has(${checked.absent}) first, or give the input a default`;
      problems.push({ path, offset, message, hint });
    } else {
      const wrong = inText(checked.field);
      if (wrong !== undefined) problems.push({ path, offset, ...wrong });
    }
  }
  return { type: "string", summary: "String" };
}

function inText(
  field: ValueField,
): Pick<TemplateProblem, "message"> | undefined {
  const secret = typeMismatch(field, { type: "string", summary: "String" });
  if (holdsSecret(field)) return secret;
  if (isTextable(field)) return undefined;
  return {
    message: `It is ${typeText(field)}, which cannot be inserted into a string`,
  };
}

function literalField(value: number | boolean | null): ValueField {
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
