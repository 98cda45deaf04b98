/** Names in an expression, found without evaluating it. */

import { type ASTNode, serialize } from "@marcbachmann/cel-js";

/** A name with its members: `inputs.version`, `steps["see-new"]`. */
export interface Reference {
  /** Name and members, the name first; `null` for an index that is not a literal string. */
  readonly path: readonly (string | null)[];
  /** Index at each part of the path: a name, a number, or unknown. */
  readonly keys: readonly (Reference | "number" | undefined)[];
  /** Offset of each part of the path in the source. */
  readonly offsets: readonly number[];
  /** `whole`: it is the value, or a branch of it; `asked`: argument of `has`; `part` otherwise. */
  readonly use: "whole" | "asked" | "part";
  /** Collection whose elements it iterates over; absent for names of the scope. */
  readonly over?: Reference;
}

/** A call of a function or method. */
export interface CelCall {
  readonly name: string;
  /** Arguments that are literal strings; `undefined` for others. */
  readonly texts: readonly (string | undefined)[];
  /** Its offset in the source. */
  readonly offset: number;
}

/** Names and calls in an expression. */
export interface FreeNames {
  readonly references: readonly Reference[];
  readonly calls: readonly CelCall[];
}

/** Methods that bind a variable to the elements of a list or the keys of a map. */
const binding = new Set(["map", "filter", "all", "exists", "exists_one"]);

type Bound = ReadonlyMap<string, Reference | undefined>;

interface SyntaxWalk {
  readonly references: Reference[];
  readonly calls: CelCall[];
}

/** Collects the names and calls in an expression. */
export function namesIn(ast: ASTNode): FreeNames {
  const walk: SyntaxWalk = { references: [], calls: [] };
  visit(ast, "whole", new Map(), walk);
  return walk;
}

/** Paths that must be present for a condition to hold: arguments of `has`, joined by `&&`. */
export function askedFor(ast: ASTNode): Reference["path"][] {
  if (ast.op === "&&") return ast.args.flatMap(askedFor);
  if (ast.op !== "call" || ast.args[0] !== "has") return [];
  const path = ast.args[1][0] && findChain(ast.args[1][0], new Map())?.path;
  return path === undefined ? [] : [path];
}

function visit(
  node: ASTNode,
  use: Reference["use"],
  bound: Bound,
  walk: SyntaxWalk,
): void {
  const chain = findChain(node, bound);
  if (chain !== undefined) {
    walk.references.push({ ...chain, use });
    return visitIndexes(node, bound, walk);
  }
  switch (node.op) {
    case "?:": {
      const [condition, yes, no] = node.args;
      visit(condition, "part", bound, walk);
      visit(yes, use, bound, walk);
      return visit(no, use, bound, walk);
    }
    case "call": {
      const [name, given] = node.args;
      walk.calls.push({ name, texts: listTexts(given), offset: node.pos });
      const inner = name === "has" ? "asked" : "part";
      return given.forEach((one) => visit(one, inner, bound, walk));
    }
    case "rcall":
      return visitMethod(node.args, node.pos, bound, walk);
    default:
      return listParts(node).forEach((part) =>
        visit(part, "part", bound, walk)
      );
  }
}

function visitMethod(
  [name, receiver, given]: [string, ASTNode, ASTNode[]],
  start: number,
  bound: Bound,
  walk: SyntaxWalk,
): void {
  walk.calls.push({ name, texts: listTexts(given), offset: start });
  const [first, ...others] = given;
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel") {
    const [value, body] = others;
    if (value) visit(value, "part", bound, walk);
    if (body) visit(body, "part", withName(first, undefined, bound), walk);
    return;
  }
  visit(receiver, "part", bound, walk);
  if (!binding.has(name) || first?.op !== "id") {
    return given.forEach((one) => visit(one, "part", bound, walk));
  }
  const inside = withName(first, findElements(receiver, bound), bound);
  others.forEach((one) => visit(one, "part", inside, walk));
}

function withName(
  variable: ASTNode | undefined,
  over: Reference | undefined,
  bound: Bound,
): Bound {
  return variable?.op === "id"
    ? new Map(bound).set(variable.args, over)
    : bound;
}

/** The list that elements come from; `filter` does not change them. */
function findElements(list: ASTNode, bound: Bound): Reference | undefined {
  if (list.op === "rcall" && list.args[0] === "filter") {
    return findElements(list.args[1], bound);
  }
  return findChain(list, bound);
}

function findChain(node: ASTNode, bound: Bound): Reference | undefined {
  if (node.op === "id") {
    const name = node.args;
    const over = bound.get(name);
    if (bound.has(name) && over === undefined) return undefined;
    const head = { path: [name], keys: [undefined], offsets: [node.start] };
    return { ...head, use: "part", ...over && { over } };
  }
  if (node.op !== "." && node.op !== "[]") return undefined;
  const before = findChain(node.args[0], bound);
  if (before === undefined) return undefined;
  const key = node.op === "." ? node.args[1] : findText(node.args[1]) ?? null;
  const offset = node.op === "." ? node.pos : node.args[1].start;
  return {
    ...before,
    path: [...before.path, key],
    keys: [
      ...before.keys,
      node.op === "." ? undefined : readKey(node.args[1], bound),
    ],
    offsets: [...before.offsets, offset],
  };
}

function readKey(node: ASTNode, bound: Bound): Reference["keys"][number] {
  const { op, args } = node;
  const isNumber = op === "value" &&
    (typeof args === "bigint" || typeof args === "number");
  return isNumber ? "number" : findChain(node, bound);
}

function visitIndexes(node: ASTNode, bound: Bound, walk: SyntaxWalk): void {
  if (node.op !== "." && node.op !== "[]") return;
  visitIndexes(node.args[0], bound, walk);
  if (node.op === "[]") visit(node.args[1], "part", bound, walk);
}

function listParts(node: ASTNode): ASTNode[] {
  return [node.args].flat(2).filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value;
}

function listTexts(given: readonly ASTNode[]): (string | undefined)[] {
  return given.map(findText);
}

function findText(node: ASTNode): string | undefined {
  return node.op === "value" && typeof node.args === "string"
    ? node.args
    : undefined;
}

/** A problem in an expression. */
export interface ExpressionProblem {
  /** Its offset in the source, in characters from 0. */
  readonly offset: number;
  /** Message; capital first, no period. */
  readonly message: string;
  readonly hint?: string;
}

/** A condition, split into its parts. */
export type Logic =
  | {
    /** All parts have to hold, or one of them. */
    readonly op: "and" | "or";
    readonly parts: readonly [Logic, Logic];
  }
  | {
    /** The part must not hold. */
    readonly op: "not";
    readonly part: Logic;
  }
  | {
    /** A condition selects one of two. */
    readonly op: "choice";
    readonly when: Logic;
    readonly yes: Logic;
    readonly no: Logic;
  }
  | {
    /** Not split any further. */
    readonly op: "leaf";
    /** CEL with the same meaning as the source. */
    readonly source: string;
  };

/** Splits a condition into its parts. */
export function logicIn(ast: ASTNode): Logic {
  switch (ast.op) {
    case "&&":
    case "||": {
      const [first, second] = ast.args;
      const op = ast.op === "&&" ? "and" : "or";
      return { op, parts: [logicIn(first), logicIn(second)] };
    }
    case "!_":
      return { op: "not", part: logicIn(ast.args) };
    case "?:": {
      const [when, yes, no] = ast.args.map(logicIn);
      if (!when || !yes || !no) throw new TypeError("A choice has three parts");
      return { op: "choice", when, yes, no };
    }
    default:
      return { op: "leaf", source: serialize(ast) };
  }
}
