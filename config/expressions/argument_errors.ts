/** Words for functions and operators whose operands do not fit. */

import type { CelScope } from "./environments.ts";
import type { Overload } from "./functions.ts";
import { fixHint } from "./fix_hint.ts";
import { type CallNode, ExpressionError, type Node } from "./syntax.ts";
import { bool, dyn, int, type Type, typeText, unwrapped } from "./types.ts";

const relation = /^_([<>]=?|[=!]=)_$/;

const unwrap = "Unwrap the value with orValue(…)";

/**
 * A call whose arguments do not fit.
 *
 * @param given Types of its arguments; what a method is called on comes first.
 * @param overloads How it can be called in this style; absent when only in the other.
 */
export function argumentError(
  node: CallNode,
  given: readonly Type[],
  overloads: readonly Overload[] | undefined,
  environment: CelScope,
): ExpressionError {
  const { name, target, offset } = node;
  if (name === "in" || !/^\.?[A-Za-z]/.test(name)) {
    return operatorMisfit(node, given, environment);
  }
  const texts = given.map(typeText);
  const called = target !== undefined && given.length > node.args.length;
  const message = called
    ? `Function "${name}" of ${texts[0]} cannot take (${
      texts.slice(1).join(", ")
    })`
    : `Function "${name}" cannot take (${texts.join(", ")})`;
  const hint = overloads === undefined
    ? `Write ${called ? `${name}(…)` : `value.${name}(…)`}`
    : hintForField(node, given, environment) ??
      hintForCall(node, given, overloads, called);
  return new ExpressionError(message, offset, hint);
}

function hintForField(
  { name, args, target }: CallNode,
  [on = dyn]: readonly Type[],
  { records }: CelScope,
): string | undefined {
  return target !== undefined && args.length === 0 &&
      records.get(on.name)?.has(name)
    ? `"${name}" is a field; remove the parentheses`
    : undefined;
}

function hintForCall(
  { name, args }: CallNode,
  given: readonly Type[],
  overloads: readonly Overload[],
  called: boolean,
): string {
  const inner = given[0] && unwrapped(given[0]);
  const skipped = called ? 1 : 0;
  const all = overloads.map(({ params }) =>
    params.map((param) => param.open ? inner ?? param : param)
  );
  const ways = all.map((params) => {
    const list = `(${params.slice(skipped).map(typeText).join(", ")})`;
    return called && all.length > 1 && params[0]
      ? `${typeText(params[0])}.${name}${list}`
      : list;
  });
  const hint = called && all.length > 1
    ? `There is ${ways.join(", ")}`
    : `It takes ${ways.join(" or ")}`;
  const cure = args.map((arg, i) => {
    const type = given[i + skipped] ?? dyn;
    // A function with several ways to call it that is named like a type makes it.
    const wanted = all.length === 1
      ? all[0]?.[i + skipped]
      : { name, parts: [] };
    return wanted && fixHint(arg, type, wanted);
  }).find((found) => found !== undefined);
  if (cure === undefined) return hint;
  return `${hint}; ${cure[0]?.toLowerCase()}${cure.slice(1)}`;
}

function operatorMisfit(
  node: CallNode,
  given: readonly Type[],
  environment: CelScope,
): ExpressionError {
  const { name, offset } = node;
  const [a = dyn, b = dyn] = given;
  const [one, two] = [typeText(a), typeText(b)];
  switch (name) {
    case "!_":
    case "-_":
      return signMisfit(node, a);
    case "_?_:_":
      return choiceMisfit(node, given);
    case "_[_]":
    case "_[?_]": {
      const message = `Cannot index ${one} with ${two}`;
      return new ExpressionError(
        message,
        offset,
        hintForIndex(node, a, b, environment),
      );
    }
    case "in": {
      const message = `Operator "in" cannot search for ${one} in ${two}`;
      return new ExpressionError(message, offset, hintForSearch(node, a, b));
    }
  }
  const message = `Operator "${
    name.slice(1, -1)
  }" cannot take ${one} and ${two}`;
  const hint = hintForPair(node, a, b, environment);
  return new ExpressionError(message, offset, hint);
}

function signMisfit(
  { name, args: [arg], offset }: CallNode,
  type: Type,
): ExpressionError {
  const sign = name[0];
  const [wanted, words] = sign === "!"
    ? [bool, "bool"]
    : [int, "int or double"];
  return new ExpressionError(
    `Operand of "${sign}" is ${typeText(type)}, must be ${words}`,
    arg?.offset ?? offset,
    arg && fixHint(arg, type, wanted),
  );
}

function choiceMisfit(
  { args: [first, left, right], macro, offset }: CallNode,
  [condition = dyn, a = dyn, b = dyn]: readonly Type[],
): ExpressionError {
  if (condition.name === "bool" || condition.name === "dyn") {
    return new ExpressionError(
      `Branches are ${typeText(a)} and ${typeText(b)}, must have the same type`,
      offset,
      hintForEither(left, right, a, b),
    );
  }
  const what = macro === undefined ? 'before "?"' : `of "${macro}"`;
  return new ExpressionError(
    `Condition ${what} is ${typeText(condition)}, must be bool`,
    first?.offset ?? offset,
    first && fixHint(first, condition, bool),
  );
}

function hintForIndex(
  { args: [, index] }: CallNode,
  a: Type,
  b: Type,
  { names }: CelScope,
): string | undefined {
  const inner = unwrapped(a) ?? a;
  const quoted = index?.kind === "literal" ? index.text.slice(1, -1) : "";
  const meant = names.get(quoted)?.name;
  if (meant !== undefined && meant === inner.parts[0]?.name) {
    return `Write ${quoted} without quotes`;
  }
  if (inner.name === "list") return index && fixHint(index, b, int);
  if (inner.name === "map") {
    return index && inner.parts[0] && fixHint(index, b, inner.parts[0]);
  }
  return b.name === "string" && inner.parts.length === 0
    ? "Write a dot before the name of a field"
    : "Only lists and maps have elements";
}

function hintForSearch(
  { args: [one, many] }: CallNode,
  a: Type,
  b: Type,
): string | undefined {
  if (unwrapped(a) !== undefined || unwrapped(b) !== undefined) return unwrap;
  if (b.name === "string") return "Write text.contains(part)";
  const [of] = b.parts;
  if (of === undefined) return "Write the values as a list, [a, b]";
  const inside = many && fixHint(many, b, { name: b.name, parts: [a] });
  return inside ?? (one && fixHint(one, a, of));
}

function hintForPair(
  { name, args: [left, right] }: CallNode,
  a: Type,
  b: Type,
  { functions }: CelScope,
): string | undefined {
  const types = [a.name, b.name];
  const other = types.find((type) => type !== "null");
  if (types.includes("null") && other !== undefined) {
    return `A value of type ${other} is never null`;
  }
  if (
    relation.test(name) && left?.kind === "call" && relation.test(left.name)
  ) {
    return 'Join comparisons with "&&", or put parentheses around one';
  }
  if (
    types.includes("bytes") && types.includes("string") && functions.has("mac")
  ) {
    return "Convert the bytes to a string with mac(…)";
  }
  return hintForEither(left, right, a, b);
}

/** Changes what is written out rather than what is named. */
function hintForEither(
  left: Node | undefined,
  right: Node | undefined,
  a: Type,
  b: Type,
): string | undefined {
  if (unwrapped(a) !== undefined || unwrapped(b) !== undefined) return unwrap;
  const leftCure = left && fixHint(left, a, b);
  const rightCure = right && fixHint(right, b, a);
  return left?.kind === "literal" && right?.kind !== "literal"
    ? leftCure ?? rightCure
    : rightCure ?? leftCure;
}
