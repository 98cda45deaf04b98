/** Calls that nodes rewrite before they look at types. */

import {
  type Call,
  ExpressionMistake,
  type Literal,
  type Loop,
  type Name,
  type Node,
} from "./syntax.ts";

/** How calls are rewritten, by `name/count` of functions and `*.name/count` of methods. */
export type Macros = ReadonlyMap<string, (call: Call) => Node>;

/** Name of what is carried through a fold; no expression can write it. */
const accumulator = "@result";

/** The macros that are known everywhere. */
export const standardMacros: Macros = new Map([
  ["has/1", presence],
  ["*.all/2", (call: Call) => quantifier(call, "_&&_", "true")],
  ["*.exists/2", (call: Call) => quantifier(call, "_||_", "false")],
  ["*.exists_one/2", exactlyOne],
  ["*.map/2", (call: Call) => collection(call, call.args[1], undefined)],
  ["*.map/3", (call: Call) => collection(call, call.args[2], call.args[1])],
  ["*.filter/2", (call: Call) => collection(call, call.args[0], call.args[1])],
]);

/** The macros of places with optional values. */
export const optionalMacros: Macros = new Map([
  ...standardMacros,
  ["*.optMap/2", (call: Call) => withValue(call, true)],
  ["*.optFlatMap/2", (call: Call) => withValue(call, false)],
]);

/**
 * Rewrites a call if it is one of a macro. Throws `ExpressionMistake` if it is one and its
 * arguments do not fit.
 */
export function unfold(call: Call, macros: Macros): Node {
  const style = call.target === undefined ? "" : "*.";
  const macro = macros.get(`${style}${call.name}/${call.args.length}`);
  return macro === undefined ? call : macro(call);
}

function presence({ args: [arg], offset }: Call): Node {
  if (arg?.kind === "select" && arg.style !== "optional") {
    return { ...arg, style: "test" };
  }
  throw new ExpressionMistake(
    'Macro "has" takes a field',
    arg?.offset ?? offset,
    "Write has(record.field)",
  );
}

function quantifier(
  call: Call,
  operator: "_&&_" | "_||_",
  initial: "true" | "false",
): Node {
  const { name: macro, offset } = call;
  const carried = nameOf(accumulator, offset);
  const go = operator === "_&&_"
    ? carried
    : callOf("!_", [carried], offset, macro);
  const step = [carried, argument(call, 1)];
  return loop(call, {
    initial: literalOf("bool", initial, offset),
    condition: callOf("@not_strictly_false", [go], offset, macro),
    step: callOf(operator, step, offset, macro),
  });
}

function exactlyOne(call: Call): Node {
  const { name: macro, offset } = call;
  const carried = nameOf(accumulator, offset);
  const one = literalOf("int", "1", offset);
  const more = callOf("_+_", [carried, one], offset, macro);
  const step = [argument(call, 1), more, carried];
  return loop(call, {
    initial: literalOf("int", "0", offset),
    step: callOf("_?_:_", step, offset, macro),
    result: callOf("_==_", [carried, one], offset, macro),
  });
}

/** `map` and `filter`: a list that grows, perhaps only when a condition holds. */
function collection(
  call: Call,
  value: Node = call,
  condition: Node | undefined,
): Node {
  const { name: macro, offset } = call;
  const carried = nameOf(accumulator, offset);
  const elements = [{ value, optional: false }];
  const grown = callOf(
    "_+_",
    [carried, { kind: "list", elements, offset }],
    offset,
    macro,
  );
  return loop(call, {
    initial: { kind: "list", elements: [], offset },
    step: condition === undefined
      ? grown
      : callOf("_?_:_", [condition, grown, carried], offset, macro),
  });
}

function loop(
  call: Call,
  parts: Pick<Loop, "initial" | "step"> & Partial<Loop>,
): Node {
  const { target: range = call, name: macro, offset } = call;
  return {
    kind: "loop",
    range,
    variable: variableOf(call),
    accumulator,
    condition: literalOf("bool", "true", offset),
    result: nameOf(accumulator, offset),
    macro,
    offset,
    ...parts,
  };
}

/** `optMap` and `optFlatMap`: the value of an optional under a name, if it has one. */
function withValue(call: Call, wrapped: boolean): Node {
  const { target = call, name: macro, offset } = call;
  const variable = simpleName(call);
  const bound: Loop = {
    kind: "loop",
    range: { kind: "list", elements: [], offset },
    variable: "#unused",
    accumulator: variable,
    initial: { ...callOf("value", [], offset, macro), target },
    condition: literalOf("bool", "false", offset),
    step: nameOf(variable, offset),
    result: argument(call, 1),
    macro,
    offset,
  };
  return callOf(
    "_?_:_",
    [
      { ...callOf("hasValue", [], offset, macro), target },
      wrapped ? callOf("optional.of", [bound], offset, macro) : bound,
      callOf("optional.none", [], offset, macro),
    ],
    offset,
    macro,
  );
}

function variableOf(call: Call): string {
  const name = simpleName(call);
  if (name !== accumulator && name !== "__result__") return name;
  const { offset } = argument(call, 0);
  throw new ExpressionMistake(`Name "${name}" is taken`, offset);
}

function simpleName(call: Call): string {
  const argued = argument(call, 0);
  if (argued.kind === "name") return argued.name;
  throw new ExpressionMistake(
    `First argument of "${call.name}" must be a name`,
    argued.offset,
    `Write ${call.name}(x, …) and use x`,
  );
}

function argument(call: Call, index: number): Node {
  // Never absent: the key under which a macro is found says how many there are.
  return call.args[index] ?? call;
}

function nameOf(name: string, offset: number): Name {
  return { kind: "name", name, offset };
}

function literalOf(
  type: Literal["type"],
  text: string,
  offset: number,
): Literal {
  return { kind: "literal", type, text, offset };
}

function callOf(
  name: string,
  args: readonly Node[],
  offset: number,
  macro: string,
): Call {
  return { kind: "call", name, args, offset, macro };
}
