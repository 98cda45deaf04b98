/** Calls that nodes rewrite before they look at types. */

import {
  type CallNode,
  ExpressionError,
  type Literal,
  type LoopNode,
  type NameNode,
  type Node,
} from "./syntax.ts";

/** How calls are rewritten, by `name/count` of functions and `*.name/count` of methods. */
export type Macros = ReadonlyMap<string, (call: CallNode) => Node>;

/** Name of what is carried through a fold; no expression can write it. */
const accumulator = "@result";

/** The macros that are known everywhere. */
export const standardMacros: Macros = new Map([
  ["has/1", presence],
  ["*.all/2", (call: CallNode) => quantifier(call, "_&&_", "true")],
  ["*.exists/2", (call: CallNode) => quantifier(call, "_||_", "false")],
  ["*.exists_one/2", exactlyOne],
  ["*.map/2", (call: CallNode) => collection(call, call.args[1], undefined)],
  ["*.map/3", (call: CallNode) => collection(call, call.args[2], call.args[1])],
  [
    "*.filter/2",
    (call: CallNode) => collection(call, call.args[0], call.args[1]),
  ],
]);

/** The macros of places with optional values. */
export const optionalMacros: Macros = new Map([
  ...standardMacros,
  ["*.optMap/2", (call: CallNode) => withValue(call, true)],
  ["*.optFlatMap/2", (call: CallNode) => withValue(call, false)],
]);

/**
 * Rewrites a call if it is one of a macro. Throws `ExpressionError` if it is one and its
 * arguments do not fit.
 */
export function unfold(call: CallNode, macros: Macros): Node {
  const style = call.target === undefined ? "" : "*.";
  const macro = macros.get(`${style}${call.name}/${call.args.length}`);
  return macro === undefined ? call : macro(call);
}

function presence({ args: [arg], offset }: CallNode): Node {
  if (arg?.kind === "select" && arg.style !== "optional") {
    return { ...arg, style: "test" };
  }
  throw new ExpressionError(
    'Macro "has" takes a field',
    arg?.offset ?? offset,
    "Write has(record.field)",
  );
}

function quantifier(
  call: CallNode,
  operator: "_&&_" | "_||_",
  initial: "true" | "false",
): Node {
  const carried = nameOf(call, accumulator);
  const go = operator === "_&&_" ? carried : callOf(call, "!_", [carried]);
  const step = [carried, argument(call, 1)];
  return loop(call, {
    initial: literalOf(call, "bool", initial),
    condition: callOf(call, "@not_strictly_false", [go]),
    step: callOf(call, operator, step),
  });
}

function exactlyOne(call: CallNode): Node {
  const carried = nameOf(call, accumulator);
  const one = literalOf(call, "int", "1");
  const more = callOf(call, "_+_", [carried, one]);
  const step = [argument(call, 1), more, carried];
  return loop(call, {
    initial: literalOf(call, "int", "0"),
    step: callOf(call, "_?_:_", step),
    result: callOf(call, "_==_", [carried, one]),
  });
}

/** `map` and `filter`: a list that grows, perhaps only when a condition holds. */
function collection(
  call: CallNode,
  value: Node = call,
  condition: Node | undefined,
): Node {
  const carried = nameOf(call, accumulator);
  const grown = callOf(call, "_+_", [carried, listOf(call, value)]);
  return loop(call, {
    initial: listOf(call),
    step: condition === undefined
      ? grown
      : callOf(call, "_?_:_", [condition, grown, carried]),
  });
}

function loop(
  call: CallNode,
  parts: Pick<LoopNode, "initial" | "step"> & Partial<LoopNode>,
): Node {
  const { target: range = call, name: macro, offset } = call;
  return {
    kind: "loop",
    range,
    variable: variableOf(call),
    accumulator,
    condition: literalOf(call, "bool", "true"),
    result: nameOf(call, accumulator),
    macro,
    offset,
    ...parts,
  };
}

/** `optMap` and `optFlatMap`: the value of an optional under a name, if it has one. */
function withValue(call: CallNode, wrapped: boolean): Node {
  const { target = call, name: macro, offset } = call;
  const variable = simpleName(call);
  const bound: LoopNode = {
    kind: "loop",
    range: listOf(call),
    variable: "#unused",
    accumulator: variable,
    initial: { ...callOf(call, "value"), target },
    condition: literalOf(call, "bool", "false"),
    step: nameOf(call, variable),
    result: argument(call, 1),
    macro,
    offset,
  };
  return callOf(call, "_?_:_", [
    { ...callOf(call, "hasValue"), target },
    wrapped ? callOf(call, "optional.of", [bound]) : bound,
    callOf(call, "optional.none"),
  ]);
}

function variableOf(call: CallNode): string {
  const name = simpleName(call);
  if (name !== accumulator && name !== "__result__") return name;
  const { offset } = argument(call, 0);
  throw new ExpressionError(`Variable "${name}" is already defined`, offset);
}

function simpleName(call: CallNode): string {
  const argued = argument(call, 0);
  if (argued.kind === "name") return argued.name;
  throw new ExpressionError(
    `First argument of "${call.name}" must be a name`,
    argued.offset,
    `Write ${call.name}(x, …) and use x`,
  );
}

function argument(call: CallNode, index: number): Node {
  // Never absent: the key under which a macro is found says how many there are.
  return call.args[index] ?? call;
}

// What a macro becomes is where its call does.

function nameOf({ offset }: CallNode, name: string): NameNode {
  return { kind: "name", name, offset };
}

function literalOf(
  { offset }: CallNode,
  type: Literal["type"],
  text: string,
): Literal {
  return { kind: "literal", type, text, offset };
}

function listOf({ offset }: CallNode, ...values: readonly Node[]): Node {
  const elements = values.map((value) => ({ value, optional: false }));
  return { kind: "list", elements, offset };
}

function callOf(
  { name: macro, offset }: CallNode,
  name: string,
  args: readonly Node[] = [],
): CallNode {
  return { kind: "call", name, args, offset, macro };
}
