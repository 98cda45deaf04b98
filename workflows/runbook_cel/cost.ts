/**
 * What the evaluation of an expression costs, counted while it continues: one for each part of the expression that is
 * evaluated, and one for each element or ten characters that are compared, searched, joined or copied. An expression
 * that a file brings may so take some tenths of a second and 100 MB, and no more.
 */

import type { ASTNode } from "@marcbachmann/cel-js";

/** Most that one evaluation may cost. */
const mostForOne = 1_000_000;

/** What may be spent by several evaluations together, such as those of a plan. */
export interface Budget {
  left: number;
}

/** An evaluation has cost too much. */
export class CostProblem extends Error {
  constructor(limit: string) {
    super(`it costs more than ${limit}`);
  }
}

interface Meter {
  spent: number;
  readonly limit: number;
}

/** Who counts; only set while an expression is evaluated, which nothing interrupts. */
let meter: Meter = { spent: 0, limit: Infinity };

/**
 * Evaluates, and counts.
 *
 * @param act Evaluates at once, with a tree that {@linkcode counted} has seen.
 * @param budget What it is taken from as well; default none.
 * @throws {CostProblem} If it costs too much, whatever the expression made of that.
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
    // Quantifiers and logical operators take an error of a part for one of their operands.
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

/** Counts. Throws `CostProblem` if it is too much. */
function charge(price: number): void {
  meter.spent += price;
  if (meter.spent > meter.limit) throw tooMuch(meter);
}

/** Counts all of a value on its way out, where every list and map in it is made anew as often as it is there. */
export function chargeCopy(value: unknown): void {
  charge(measureSize(value));
}

/** The library's side of a node; what `check` has prepared is replaced by what counts as well. */
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

/** Makes a tree count what its evaluation costs. */
export function counted(ast: ASTNode): void {
  // What the library does not declare is held by the tests of this file.
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

/** Nodes below: arguments, lists and pairs of them, and the parts of a loop. */
function listParts(args: unknown): readonly CheckedNode[] {
  if (Array.isArray(args)) return args.flatMap(listParts);
  if (typeof args !== "object" || args === null) return [];
  if ("op" in args && "meta" in args) return [args as CheckedNode];
  return "iterable" in args && "init" in args && "step" in args
    ? [args.iterable, args.init, args.step].flatMap(listParts)
    : [];
}

/** What looks at all of its operands. */
const readers = new Set(
  ["+", "==", "!=", "<", "<=", ">", ">=", "in", "call", "rcall"],
);

/** Functions that may look for a text at each place of another. */
const searches = new Set(["contains", "indexOf", "lastIndexOf", "glob"]);

function readingPrice(name: string, operands: readonly unknown[]): number {
  const sizes = operands.map(measureSize);
  return searches.has(name)
    ? sizes.reduce((product, size) => product * size, 1)
    : sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * One for ten characters or bytes, and for any other value; those in lists and maps as often as they are there, and no
 * further than the limit lets anybody look.
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
