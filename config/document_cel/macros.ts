/** Macros: calls that nodes expand before type checking. */

import {
  type CallNode,
  ExpressionError,
  type Literal,
  type LoopNode,
  type NameNode,
  type Node,
} from "./syntax.ts";

/** Expansions by `name/count` of functions and `*.name/count` of methods. */
export type Macros = ReadonlyMap<string, (call: CallNode) => Node>;

/** Accumulator of a fold; expressions cannot name it. */
const accumulator = "@result";

/** Macros of all environments. */
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

/** Macros of environments with optional values. */
export const optionalMacros: Macros = new Map([
  ...standardMacros,
  ["*.optMap/2", (call: CallNode) => withValue(call, true)],
  ["*.optFlatMap/2", (call: CallNode) => withValue(call, false)],
]);

/** Expands a call of a macro. Throws `ExpressionError` if its arguments are invalid. */
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
  const carried = makeName(call, accumulator);
  const go = operator === "_&&_" ? carried : makeCall(call, "!_", [carried]);
  const step = [carried, argument(call, 1)];
  return loop(call, {
    initial: makeLiteral(call, "bool", initial),
    condition: makeCall(call, "@not_strictly_false", [go]),
    step: makeCall(call, operator, step),
  });
}

function exactlyOne(call: CallNode): Node {
  const carried = makeName(call, accumulator);
  const one = makeLiteral(call, "int", "1");
  const more = makeCall(call, "_+_", [carried, one]);
  const step = [argument(call, 1), more, carried];
  return loop(call, {
    initial: makeLiteral(call, "int", "0"),
    step: makeCall(call, "_?_:_", step),
    result: makeCall(call, "_==_", [carried, one]),
  });
}

/** `map` and `filter`: appends to a list, optionally with a condition. */
function collection(
  call: CallNode,
  value: Node = call,
  condition: Node | undefined,
): Node {
  const carried = makeName(call, accumulator);
  const grown = makeCall(call, "_+_", [carried, makeList(call, value)]);
  return loop(call, {
    initial: makeList(call),
    step: condition === undefined
      ? grown
      : makeCall(call, "_?_:_", [condition, grown, carried]),
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
    variable: readVariable(call),
    accumulator,
    condition: makeLiteral(call, "bool", "true"),
    result: makeName(call, accumulator),
    macro,
    offset,
    ...parts,
  };
}

/** `optMap` and `optFlatMap`: binds the value of an optional to a name, if it has one. */
function withValue(call: CallNode, wrapped: boolean): Node {
  const { target = call, name: macro, offset } = call;
  const variable = simpleName(call);
  const bound: LoopNode = {
    kind: "loop",
    range: makeList(call),
    variable: "#unused",
    accumulator: variable,
    initial: { ...makeCall(call, "value"), target },
    condition: makeLiteral(call, "bool", "false"),
    step: makeName(call, variable),
    result: argument(call, 1),
    macro,
    offset,
  };
  return makeCall(call, "_?_:_", [
    { ...makeCall(call, "hasValue"), target },
    wrapped ? makeCall(call, "optional.of", [bound]) : bound,
    makeCall(call, "optional.none"),
  ]);
}

function readVariable(call: CallNode): string {
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
  // Never absent: the key of a macro includes its number of arguments.
  return call.args[index] ?? call;
}

// Expansions have the position of their call.

function makeName({ offset }: CallNode, name: string): NameNode {
  return { kind: "name", name, offset };
}

function makeLiteral(
  { offset }: CallNode,
  type: Literal["type"],
  text: string,
): Literal {
  return { kind: "literal", type, text, offset };
}

function makeList({ offset }: CallNode, ...values: readonly Node[]): Node {
  const elements = values.map((value) => ({ value, optional: false }));
  return { kind: "list", elements, offset };
}

function makeCall(
  { name: macro, offset }: CallNode,
  name: string,
  args: readonly Node[] = [],
): CallNode {
  return { kind: "call", name, args, offset, macro };
}
