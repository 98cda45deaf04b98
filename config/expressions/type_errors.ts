/** Words for what the checker of types finds, apart from operands that do not fit. */

import { nearest } from "../../lib/text/nearest.ts";
import {
  type CelScope,
  environments,
  type RecordTypes,
} from "./environments.ts";
import { fixHint } from "./fix_hint.ts";
import {
  type CallNode,
  ExpressionError,
  type LoopNode,
  type NameNode,
  type Node,
  type RecordLiteral,
  type SelectNode,
} from "./syntax.ts";
import { bool, type Type, typeText, unwrapped } from "./types.ts";

/** A name that nothing has. */
export function unknownName(
  { name, offset }: NameNode | RecordLiteral,
  environment: CelScope,
  local: readonly string[] = [],
): ExpressionError {
  const known = [...environment.names.keys(), ...local]
    .filter((word) => /^[A-Za-z_]/.test(word));
  return new ExpressionError(
    `Unknown name "${name}"`,
    offset,
    hintForName(name, known, environment),
  );
}

function hintForName(
  name: string,
  known: readonly string[],
  { functions, names, title }: CelScope,
): string {
  if (functions.has(name)) {
    return `"${name}" is a function, write ${name}(…)`;
  }
  const elsewhere = Object.values(environments)
    .find((other) => other.names.has(name));
  if (elsewhere !== undefined) {
    return `It is available in ${elsewhere.title}, not in ${title}`;
  }
  const near = similar(name, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  const [first] = names.keys();
  return `Put strings in quotes; known names are "${first}" and others`;
}

/** A function that does not exist. */
export function unknownFunction(
  node: CallNode,
  on: Type | undefined,
  environment: CelScope,
): ExpressionError {
  const { name, offset } = node;
  const message = `Unknown function "${name}"`;
  const hint = hintForFunction(node, on, environment);
  return new ExpressionError(message, offset, hint);
}

function hintForFunction(
  { name, target }: CallNode,
  on: Type | undefined,
  { functions, macros, names, records, title }: CelScope,
): string | undefined {
  const value = on === undefined ? names : records.get(on.name);
  if (value?.has(name)) {
    const what = on === undefined ? "variable" : "field";
    return `"${name}" is a ${what}; remove the parentheses`;
  }
  const elsewhere = Object.values(environments).find((other) =>
    other.functions.has(name) ||
    other.functions.has(`.${name}`)
  );
  if (elsewhere !== undefined) {
    return `It is available in ${elsewhere.title}, not in ${title}`;
  }
  const style = target === undefined ? /^([A-Za-z].*)/ : /^\.(.+)/;
  const rewritten = target === undefined ? /^(\w+)\// : /^\*\.(\w+)/;
  const folds = [...macros.keys()].flatMap((key) =>
    rewritten.exec(key)?.[1] ?? []
  );
  if (target !== undefined && folds.includes(name)) {
    return `Write list.${name}(x, …) and use x`;
  }
  const known = [...functions.keys()].flatMap((key) =>
    style.exec(key)?.[1] ?? []
  );
  const near = similar(name, [...known, ...folds]);
  return near === undefined ? undefined : `Did you mean "${near}"?`;
}

/** A field that a record does not have. */
export function unknownField(
  { field, offset }: SelectNode,
  { name }: Type,
  record: RecordTypes,
): ExpressionError {
  const known = [...record.keys()];
  const near = similar(field, known);
  return new ExpressionError(
    `Unknown field "${field}" of ${name}`,
    offset,
    near === undefined
      ? `Its fields are ${known.join(", ")}`
      : `Did you mean "${near}"?`,
  );
}

/** A field of something that has none. */
export function noFields(
  { field, offset }: SelectNode,
  type: Type,
  { functions }: CelScope,
): ExpressionError {
  const message = `Unknown field "${field}": ${typeText(type)} has no fields`;
  const hint = functions.has(`.${field}`)
    ? `"${field}" is a function, write ${field}(…)`
    : undefined;
  return new ExpressionError(message, offset, hint);
}

/** Something that is neither true nor false where it must be. */
export function notTruth(
  { name, args, macro, offset }: CallNode,
  index: number,
  type: Type,
): ExpressionError {
  const arg = args[index];
  const what = macro === undefined
    ? `Operand of "${name.slice(1, -1)}"`
    : `Condition of "${macro}"`;
  return new ExpressionError(
    `${what} is ${typeText(type)}, must be bool`,
    arg?.offset ?? offset,
    arg && fixHint(arg, type, bool),
  );
}

/** Something other than a list or a map where one is gone through. */
export function notWalked(node: Node, type: Type): ExpressionError {
  return new ExpressionError(
    `Cannot iterate over ${typeText(type)}`,
    node.offset,
    unwrapped(type) === undefined
      ? "Only lists and maps have elements"
      : "Unwrap the value with orValue(…)",
  );
}

/** Something that is always there, marked as optional. */
export function notListed(node: Node, type: Type): ExpressionError {
  const message = `Element is ${typeText(type)}, must be optional`;
  return new ExpressionError(message, node.offset, 'Remove the "?"');
}

/** A list that would hold different types. */
export function mixed({ macro, offset }: LoopNode): ExpressionError {
  const message = `Elements made by "${macro}" have different types`;
  return new ExpressionError(message, offset);
}

/** More operators inside one another than a node takes. */
export function tooDeep(node: Node, levels: number): ExpressionError {
  const message = `Expression is nested deeper than ${levels} levels`;
  return new ExpressionError(message, node.offset);
}

/** An expression that yields something else than it must. */
export function wrongResult(
  node: Node,
  type: Type,
  { result }: CelScope,
): ExpressionError {
  const message = `Expression is ${typeText(type)}, must be ${result.name}`;
  return new ExpressionError(message, 0, fixHint(node, type, result));
}

function similar(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  return known.find((word) => word.toLowerCase() === lower) ??
    nearest(name, known);
}
