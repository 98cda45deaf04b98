/** Messages for functions and operators with invalid operands. */

import type { Overload } from "./functions.ts";
import { fixHint } from "./fix_hint.ts";
import { type CallNode, ExpressionError, type Node } from "./syntax.ts";
import {
  bool,
  dyn,
  int,
  type Type,
  typeText,
  unwrapOptional,
} from "./types.ts";

/**
 * A call with invalid arguments.
 *
 * @param given Types of its arguments; the receiver of a method comes first.
 * @param overloads Overloads in this style; absent if there are only overloads in the other style.
 */
export function argumentError(
  node: CallNode,
  given: readonly Type[],
  overloads: readonly Overload[] | undefined,
): ExpressionError {
  const { name, target, offset } = node;
  if (name === "in" || !/^\.?[A-Za-z]/.test(name)) {
    return operatorError(node, given);
  }
  const isMethod = target !== undefined && given.length > node.args.length;
  const [on = "", ...rest] = given.map(typeText);
  const message = isMethod
    ? `Function "${name}" of ${on} cannot take (${rest.join(", ")})`
    : `Function "${name}" cannot take (${given.map(typeText).join(", ")})`;
  const inner = given[0] && unwrapOptional(given[0]);
  const ways = overloads?.map(({ params }) => {
    const types = params.map((param) =>
      typeText(param.open ? inner ?? param : param)
    );
    return isMethod
      ? `${types[0]}.${name}(${types.slice(1).join(", ")})`
      : `${name}(${types.join(", ")})`;
  });
  const hint = ways === undefined
    ? `Write ${isMethod ? `${name}(…)` : `value.${name}(…)`}`
    : `It can be called as ${ways.join(", ")}`;
  return new ExpressionError(message, offset, hint);
}

function operatorError(
  node: CallNode,
  given: readonly Type[],
): ExpressionError {
  const { name, offset, args: [left, right] } = node;
  const [a = dyn, b = dyn] = given;
  const [one, two] = [typeText(a), typeText(b)];
  switch (name) {
    case "!_":
    case "-_":
      return signError(node, a);
    case "_?_:_":
      return choiceError(node, given);
    case "_[_]":
    case "_[?_]": {
      const { name: owner, parts } = unwrapOptional(a) ?? a;
      const wanted = owner === "list" ? int : parts[0];
      return new ExpressionError(
        `Cannot index ${one} with ${two}`,
        offset,
        wanted && right && fixHint(right, b, wanted),
      );
    }
    case "in":
      return new ExpressionError(
        `Operator "in" cannot search for ${one} in ${two}`,
        offset,
        left && b.parts[0] && fixHint(left, a, b.parts[0]),
      );
  }
  return new ExpressionError(
    `Operator "${name.slice(1, -1)}" cannot take ${one} and ${two}`,
    offset,
    fixEither(left, right, a, b),
  );
}

function signError(
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

function choiceError(
  { args: [first, left, right], macro, offset }: CallNode,
  [condition = dyn, a = dyn, b = dyn]: readonly Type[],
): ExpressionError {
  if (condition.name === "bool" || condition.name === "dyn") {
    return new ExpressionError(
      `Branches are ${typeText(a)} and ${typeText(b)}, must have the same type`,
      offset,
      fixEither(left, right, a, b),
    );
  }
  const what = macro === undefined ? 'before "?"' : `of "${macro}"`;
  return new ExpressionError(
    `Condition ${what} is ${typeText(condition)}, must be bool`,
    first?.offset ?? offset,
    first && fixHint(first, condition, bool),
  );
}

/** Changes the literal rather than the variable. */
function fixEither(
  left: Node | undefined,
  right: Node | undefined,
  a: Type,
  b: Type,
): string | undefined {
  const fixLeft = left && fixHint(left, a, b);
  const fixRight = right && fixHint(right, b, a);
  return left?.kind === "literal" && right?.kind !== "literal"
    ? fixLeft ?? fixRight
    : fixRight ?? fixLeft;
}
