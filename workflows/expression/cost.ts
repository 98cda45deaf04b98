/**
 * What the evaluation of an expression costs, counted while it continues, in the units and with the limits of the
 * Kubernetes API server for CEL: one for a name, a member or a call, ten for a list, thirty for a map, and a tenth
 * for each character or element that is checked or copied.
 */

import type { ASTNode } from "@marcbachmann/cel-js";

/** Most that one evaluation may cost (`PerCallLimit` of the Kubernetes API server). */
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

/** Price of a list, a map, and of all that is none of them. */
export const prices = { list: 10, map: 30, other: 1, part: 0.1 };

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
  charge(sizeOf(value) * prices.part + partsOfAll(value) * prices.other);
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
      charge(prices.other);
      return macro.evaluate(evaluator, macro, context);
    };
    return;
  }
  for (const part of partsOf(node.args)) prepare(part, seen);
  const { evaluate } = node.meta;
  const price = priceOf(node);
  node.evaluate = (evaluator, tree, context) => {
    charge(price);
    return evaluate(evaluator, tree, context);
  };
  const { handle } = node;
  const extra = handle && extraOf(node);
  if (handle === undefined || extra === undefined) return;
  node.handle = (...given) => {
    charge(extra(given));
    return handle(...given);
  };
}

/** Nodes below: arguments, lists and pairs of them, and the parts of a loop. */
function partsOf(args: unknown): readonly CheckedNode[] {
  if (Array.isArray(args)) return args.flatMap(partsOf);
  if (typeof args !== "object" || args === null) return [];
  if ("op" in args && "meta" in args) return [args as CheckedNode];
  return "iterable" in args && "init" in args && "step" in args
    ? [args.iterable, args.init, args.step].flatMap(partsOf)
    : [];
}

function priceOf({ op, args }: CheckedNode): number {
  switch (op) {
    case "value":
    case "accuValue":
      return 0;
    case "list":
      return prices.list + (args as readonly unknown[]).length;
    case "map":
      return prices.map + (args as readonly unknown[]).length;
    case "accuPush":
      // A list of one is made, and added to the others.
      return prices.list + prices.other;
    default:
      return prices.other;
  }
}

/** What the values that an operator or function works on add to its price. */
function extraOf(
  { op, args }: CheckedNode,
): ((given: readonly unknown[]) => number) | undefined {
  switch (op) {
    case "+":
      return ([a, b]) => prices.part * (lengthOf(a) + lengthOf(b));
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return ([a, b]) => prices.part * Math.min(sizeOf(a), sizeOf(b));
    case "in":
      return ([, list]) => lengthOf(list) + prices.part * sizeOf(list);
    case "comprehension":
      return ([list]) => prices.part * lengthOf(list);
    case "call":
    case "rcall": {
      const extra = extraOfCall(String((args as readonly unknown[])[0]));
      return ([values]) => extra(values as readonly unknown[]);
    }
    default:
      return undefined;
  }
}

function extraOfCall(name: string): (given: readonly unknown[]) => number {
  switch (name) {
    case "size":
      return () => 0;
    case "startsWith":
    case "endsWith":
      return ([, part]) => prices.part * lengthOf(part);
    case "contains":
    case "indexOf":
    case "lastIndexOf":
    case "glob":
      return ([a, b]) => prices.part ** 2 * lengthOf(a) * lengthOf(b);
    default:
      return (given) =>
        prices.part * given.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  }
}

/** Characters, bytes, elements or entries; of anything else, one. */
function lengthOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Map || value instanceof Set) return value.size;
  return isPlain(value) ? Object.keys(value).length : 1;
}

/** The same for all that is inside, as often as it is; no further than the limit lets anybody look. */
function sizeOf(value: unknown): number {
  const most = (meter.limit - meter.spent) / prices.part + 1;
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= most) {
    const one = waiting.pop();
    size += lengthOf(one);
    for (const part of partsIn(one)) {
      if (waiting.length > most) break;
      waiting.push(part);
    }
  }
  return size;
}

/** How many values are inside; called when their size is known to be within the limit. */
function partsOfAll(value: unknown): number {
  let count = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    for (const part of partsIn(waiting.pop())) {
      count++;
      waiting.push(part);
    }
  }
  return count;
}

function partsIn(value: unknown): Iterable<unknown> {
  if (Array.isArray(value) || value instanceof Set) return value;
  if (value instanceof Map) return value.values();
  return isPlain(value) ? Object.values(value) : [];
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null &&
    !(value instanceof Date) && !(value instanceof Uint8Array) &&
    !Array.isArray(value) && !(value instanceof Map) && !(value instanceof Set);
}
