/**
 * Cost limit of CEL evaluation: one for each evaluated part of the expression, and one for each element or ten
 * characters that are compared, searched, joined or copied. An expression from a file can thus use some tenths of a
 * second and 100 MB, and no more.
 */

import type { ASTNode } from "@marcbachmann/cel-js";

/** Maximum cost of one evaluation. */
const mostForOne = 1_000_000;

/** Cost budget shared by several evaluations, such as those of a plan. */
export interface Budget {
  left: number;
}

/** Error: an evaluation exceeded its cost limit. */
export class CostProblem extends Error {
  constructor(limit: string) {
    super(`it costs more than ${limit}`);
  }
}

interface Meter {
  spent: number;
  readonly limit: number;
}

/** Current meter; only set during an evaluation, which is synchronous. */
let meter: Meter = { spent: 0, limit: Infinity };

/**
 * Evaluates with a cost limit.
 *
 * @param act Evaluates synchronously, with a tree prepared by {@linkcode countCost}.
 * @param budget Shared budget that is charged as well; default none.
 * @throws {CostProblem} If it costs too much, even if the expression has caught that error.
 */
export function spending<T>(act: () => T, budget?: Budget): T {
  const before = meter;
  const own: Meter = {
    spent: 0,
    limit: Math.min(mostForOne, budget?.left ?? Infinity),
  };
  meter = own;
  try {
    const value = act();
    // Quantifiers and logical operators may swallow an error of an operand.
    if (own.spent <= own.limit) return value;
    throw tooMuch(own);
  } catch (error) {
    throw own.spent > own.limit ? tooMuch(own) : error;
  } finally {
    meter = before;
    if (budget !== undefined) budget.left -= own.spent;
  }
}

function tooMuch({ limit }: Meter): CostProblem {
  return new CostProblem(
    limit < mostForOne
      ? "is left for all expressions"
      : `${mostForOne}, the limit for one expression`,
  );
}

/** Adds to the cost. Throws `CostProblem` if the limit is exceeded. */
function charge(price: number): void {
  meter.spent += price;
  if (meter.spent > meter.limit) throw tooMuch(meter);
}

/** Charges for a result, in which shared lists and maps are copied each time they occur. */
export function chargeCopy(value: unknown): void {
  charge(measureSize(value));
}

/** Node of the library after `check`; its evaluators are replaced by counting ones. */
interface CheckedNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly alternate?: CheckedNode;
    readonly macro?: {
      readonly evaluate: Evaluate;
      readonly val?: CheckedNode;
      readonly exp?: CheckedNode;
      readonly macroHasProps?: readonly CheckedNode[];
    };
    readonly evaluate: Evaluate;
  };
  evaluate: Evaluate;
  handle?: (...given: unknown[]) => unknown;
}

type Evaluate = (evaluator: unknown, ast: unknown, context: unknown) => unknown;

/** Makes a tree count the cost of its evaluation. */
export function countCost(ast: ASTNode): void {
  // These fields are not in the library's types; tests of this file cover them.
  prepare(ast as unknown as CheckedNode, new Set());
}

function prepare(node: CheckedNode, seen: Set<CheckedNode>): void {
  if (seen.has(node)) return;
  seen.add(node);
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) return prepare(alternate, seen);
  if (macro !== undefined) {
    const { val, exp, macroHasProps = [] } = macro;
    for (const part of [val, exp, macroHasProps.at(-1)]) {
      if (part !== undefined) prepare(part, seen);
    }
    node.evaluate = (evaluator, _, context) => {
      charge(1);
      return macro.evaluate(evaluator, macro, context);
    };
    return;
  }
  for (const part of listParts(node.args)) prepare(part, seen);
  const { evaluate } = node.meta;
  node.evaluate = (evaluator, tree, context) => {
    charge(1);
    return evaluate(evaluator, tree, context);
  };
  const { handle, op } = node;
  if (handle === undefined || !readers.has(op)) return;
  const isCall = op === "call" || op === "rcall";
  const name = isCall ? String((node.args as readonly unknown[])[0]) : op;
  node.handle = (...given) => {
    const [a, b] = given;
    charge(readingPrice(name, isCall ? a as readonly unknown[] : [a, b]));
    return handle(...given);
  };
}

/** Child nodes: arguments, lists and pairs of them, and the parts of a loop. */
function listParts(args: unknown): readonly CheckedNode[] {
  if (Array.isArray(args)) return args.flatMap(listParts);
  if (typeof args !== "object" || args === null) return [];
  if ("op" in args && "meta" in args) return [args as CheckedNode];
  return "iterable" in args && "init" in args && "step" in args
    ? [args.iterable, args.init, args.step].flatMap(listParts)
    : [];
}

/** Operators that read all of their operands. */
const readers = new Set(
  ["+", "==", "!=", "<", "<=", ">", ">=", "in", "call", "rcall"],
);

/** Functions that may search a text at each position of another. */
const searches = new Set(["contains", "indexOf", "lastIndexOf", "glob"]);

function readingPrice(name: string, operands: readonly unknown[]): number {
  const sizes = operands.map(measureSize);
  return searches.has(name)
    ? sizes.reduce((product, size) => product * size, 1)
    : sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Size of a value: one for ten characters or bytes, and for any other value; shared lists and maps count each time they
 * occur. Stops at the limit.
 */
function measureSize(value: unknown): number {
  const most = meter.limit - meter.spent + 1;
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= most) {
    const one = waiting.pop();
    const isLong = typeof one === "string" || one instanceof Uint8Array;
    size += isLong ? one.length / 10 : 1;
    for (const part of partsIn(one)) {
      if (waiting.length > most) break;
      waiting.push(part);
    }
  }
  return size;
}

function partsIn(value: unknown): Iterable<unknown> {
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return value.values();
  const isPlain = typeof value === "object" && value !== null &&
    !(value instanceof Date) && !(value instanceof Uint8Array);
  return isPlain ? Object.values(value) : [];
}
