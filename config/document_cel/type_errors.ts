/** Messages of the type checker, except for operands. */

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
import { bool, type Type, typeText, unwrapOptional } from "./types.ts";

/** An unknown name. */
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
  { title }: CelScope,
): string {
  const elsewhere = Object.values(environments)
    .find((other) => other.names.has(name));
  if (elsewhere !== undefined) {
    return `It is available in ${elsewhere.title}, not in ${title}`;
  }
  const near = similar(name, known);
  return near === undefined
    ? "Put strings in quotes"
    : `Did you mean "${near}"?`;
}

/** An unknown function. */
export function unknownFunction(
  { name, target, offset }: CallNode,
  { functions, macros, title }: CelScope,
): ExpressionError {
  const message = `Unknown function "${name}"`;
  const elsewhere = Object.values(environments).find((other) =>
    other.functions.has(name) || other.functions.has(`.${name}`)
  );
  if (elsewhere !== undefined) {
    const hint = `It is available in ${elsewhere.title}, not in ${title}`;
    return new ExpressionError(message, offset, hint);
  }
  // Functions have plain names; methods start with a dot, macros with an asterisk and the number of arguments.
  const style = target === undefined ? /^([A-Za-z]\w*)/ : /^\*?\.(\w+)/;
  const known = [...functions.keys(), ...macros.keys()].flatMap((key) =>
    style.exec(key)?.[1] ?? []
  );
  const near = known.includes(name) ? undefined : similar(name, known);
  return new ExpressionError(
    message,
    offset,
    near === undefined ? undefined : `Did you mean "${near}"?`,
  );
}

/** An unknown field of a record. */
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

/** Field access on a type without fields. */
export function noFields(
  { field, offset }: SelectNode,
  type: Type,
): ExpressionError {
  const message = `Unknown field "${field}": ${typeText(type)} has no fields`;
  return new ExpressionError(message, offset);
}

/** A condition that is not a bool. */
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

/** Iteration over something other than a list or a map. */
export function notWalked(node: Node, type: Type): ExpressionError {
  return new ExpressionError(
    `Cannot iterate over ${typeText(type)}`,
    node.offset,
    unwrapOptional(type) && "Unwrap the value with orValue(…)",
  );
}

/** An optional mark on a value that is not optional. */
export function notListed(node: Node, type: Type): ExpressionError {
  const message = `Element is ${typeText(type)}, must be optional`;
  return new ExpressionError(message, node.offset, 'Remove the "?"');
}

/** A list with elements of different types. */
export function mixedElements({ macro, offset }: LoopNode): ExpressionError {
  const message = `Elements made by "${macro}" have different types`;
  return new ExpressionError(message, offset);
}

/** More nested operators than a node accepts. */
export function tooDeep(node: Node, levels: number): ExpressionError {
  const message = `Expression is nested deeper than ${levels} levels`;
  return new ExpressionError(message, node.offset);
}

/** An expression with the wrong result type. */
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
