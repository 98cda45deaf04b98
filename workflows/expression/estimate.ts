/** What an expression may cost at worst, found without evaluating it. */

import type { ASTNode } from "@marcbachmann/cel-js";
import type { ValueField, ValueFields } from "./field.ts";
import { prices } from "./cost.ts";

/** Most that an expression may cost at worst (`StaticEstimatedCostLimit` of the Kubernetes API server). */
export const mostAtWorst = 10_000_000;

/** How many elements a list or map is taken to have when its size is unknown: the nodes of a large cluster. */
export const elements = 300;

/** How many characters a text is taken to have when its length is unknown: a long host name. */
const characters = 256;

/** How large a value may be. */
interface ValueSize {
  /** Characters, elements or entries; one for what has none. */
  readonly size: number;
  /** What is in it; absent when that has no parts, or is unknown. */
  readonly item?: ValueSize;
  readonly fields?: Readonly<Record<string, ValueSize>>;
}

interface Estimate {
  readonly cost: number;
  readonly shape: ValueSize;
}

type NameSizes = ReadonlyMap<string, ValueSize>;

const scalar: ValueSize = { size: 1 };
const text: ValueSize = { size: characters };
const unknown: ValueSize = { size: elements, item: text };

/** Estimates what an expression may cost. Returns units of {@linkcode prices}. */
export function worstCost(ast: ASTNode, declarations: ValueFields): number {
  const names = new Map(
    Object.entries(declarations).map(([name, field]) => [name, shapeOf(field)]),
  );
  const { cost, shape } = estimate(ast, names);
  // All of the value is copied in the end.
  return cost + (shape === unknown ? 0 : totalOf(shape) * prices.part);
}

function shapeOf(field: ValueField): ValueSize {
  switch (field.type) {
    case "list":
    case "map":
      return {
        size: elements,
        item: field.items === undefined ? text : shapeOf(field.items),
      };
    case "nodes":
      return { size: elements, item: text };
    case "object": {
      const fields = Object.entries(field.fields ?? {}).map(([name, one]) =>
        [name, shapeOf(one)] as const
      );
      return {
        size: Math.max(1, fields.length),
        fields: Object.fromEntries(fields),
      };
    }
    case "any":
      return unknown;
    case "int":
    case "double":
    case "bool":
    case "secret":
      return scalar;
    default:
      return text;
  }
}

function estimate(node: ASTNode, names: NameSizes): Estimate {
  const inner = (part: ASTNode) => estimate(part, names);
  switch (node.op) {
    case "value":
      return {
        cost: 0,
        shape: typeof node.args === "string"
          ? { size: node.args.length }
          : scalar,
      };
    case "id":
      return { cost: prices.other, shape: names.get(node.args) ?? unknown };
    case ".":
    case ".?": {
      const { cost, shape } = inner(node.args[0]);
      return {
        cost: cost + prices.other,
        shape: memberOf(shape, node.args[1]),
      };
    }
    case "[]":
    case "[?]": {
      const [owner, index] = node.args.map(inner) as [Estimate, Estimate];
      const key = node.args[1];
      return {
        cost: owner.cost + index.cost + prices.other,
        shape: memberOf(
          owner.shape,
          key.op === "value" ? String(key.args) : "",
        ),
      };
    }
    case "list": {
      const parts = node.args.map(inner);
      return {
        cost: prices.list + parts.length + sum(parts),
        shape: { size: parts.length, ...itemOf(parts) },
      };
    }
    case "map": {
      const parts = node.args.flat().map(inner);
      return {
        cost: prices.map + parts.length + sum(parts),
        shape: { size: node.args.length, ...itemOf(parts) },
      };
    }
    case "?:": {
      const [when, yes, no] = node.args.map(inner) as [
        Estimate,
        Estimate,
        Estimate,
      ];
      return {
        cost: when.cost + Math.max(yes.cost, no.cost) + prices.other,
        shape: larger(yes.shape, no.shape),
      };
    }
    case "!_":
    case "-_":
      return { cost: inner(node.args).cost + prices.other, shape: scalar };
    case "call": {
      const [name, given] = node.args;
      // It looks whether something is there, and evaluates nothing.
      if (name === "has") return { cost: prices.other, shape: scalar };
      return ofCall(name, given.map(inner));
    }
    case "rcall":
      return ofMethod(node.args, names);
    default:
      return ofOperator(node.op, (node.args as readonly ASTNode[]).map(inner));
  }
}

function ofOperator(op: string, parts: readonly Estimate[]): Estimate {
  const [a = scalar, b = scalar] = parts.map(({ shape }) => shape);
  const cost = sum(parts) + prices.other;
  switch (op) {
    case "+":
      return {
        cost: cost + prices.part * (a.size + b.size),
        shape: { ...larger(a, b), size: a.size + b.size },
      };
    case "in":
      return { cost: cost + b.size + prices.part * totalOf(b), shape: scalar };
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return {
        cost: cost + prices.part * Math.min(totalOf(a), totalOf(b)),
        shape: scalar,
      };
    default:
      return { cost, shape: scalar };
  }
}

function ofMethod(
  [name, receiver, given]: readonly [string, ASTNode, readonly ASTNode[]],
  names: NameSizes,
): Estimate {
  const [variable, ...others] = given;
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel") {
    const [value, body] = others;
    const bound = value ? estimate(value, names) : { cost: 0, shape: unknown };
    const inside = withName(names, variable, bound.shape);
    const result = body ? estimate(body, inside) : bound;
    return {
      cost: bound.cost + result.cost + prices.other,
      shape: result.shape,
    };
  }
  const over = estimate(receiver, names);
  const loop = loops.get(name);
  if (loop === undefined || variable?.op !== "id") {
    return ofCall(name, [over, ...given.map((one) => estimate(one, names))]);
  }
  const inside = withName(
    names,
    variable,
    over.shape.item ?? larger(text, over.shape),
  );
  const bodies = others.map((one) => estimate(one, inside));
  const each = sum(bodies) + loop;
  const last = bodies.at(-1)?.shape ?? scalar;
  return {
    cost: over.cost + prices.part * over.shape.size + over.shape.size * each,
    shape: name === "map"
      ? { size: over.shape.size, item: last }
      : name === "filter"
      ? over.shape
      : scalar,
  };
}

const loops: ReadonlyMap<string, number> = new Map([
  ["all", prices.other],
  ["exists", prices.other],
  ["exists_one", 2 * prices.other],
  ["map", prices.list + 2 * prices.other],
  ["filter", prices.list + 3 * prices.other],
]);

function ofCall(name: string, parts: readonly Estimate[]): Estimate {
  const [a = scalar, b = scalar] = parts.map(({ shape }) => shape);
  const cost = sum(parts) + prices.other;
  const all = parts.reduce((total, { shape }) => total + totalOf(shape), 0);
  switch (name) {
    case "size":
      return { cost, shape: scalar };
    case "startsWith":
    case "endsWith":
      return { cost: cost + prices.part * b.size, shape: scalar };
    case "contains":
    case "indexOf":
    case "lastIndexOf":
    case "glob":
      return { cost: cost + prices.part ** 2 * a.size * b.size, shape: scalar };
    case "split":
      return {
        cost: cost + prices.part * all,
        shape: { size: a.size + 1, item: { size: a.size } },
      };
    case "join":
      return {
        cost: cost + prices.part * all,
        shape: { size: all + a.size * b.size },
      };
    case "dyn":
      return { cost, shape: a };
    default:
      return {
        cost: cost + prices.part * all,
        // Texts of numbers, times and images are no longer than this either.
        shape: { size: Math.max(a.size, characters) },
      };
  }
}

function withName(
  names: NameSizes,
  variable: ASTNode | undefined,
  shape: ValueSize,
): NameSizes {
  return variable?.op === "id"
    ? new Map(names).set(variable.args, shape)
    : names;
}

function memberOf({ fields, item }: ValueSize, name: string): ValueSize {
  if (fields !== undefined && Object.hasOwn(fields, name)) {
    return fields[name] ?? unknown;
  }
  return item ?? unknown;
}

function itemOf(parts: readonly Estimate[]): { item?: ValueSize } {
  const [first, ...others] = parts.map(({ shape }) => shape);
  return first === undefined ? {} : { item: others.reduce(larger, first) };
}

function larger(a: ValueSize, b: ValueSize): ValueSize {
  const item = a.item === undefined || b.item === undefined
    ? a.item ?? b.item
    : larger(a.item, b.item);
  const fields = a.fields ?? b.fields;
  return {
    size: Math.max(a.size, b.size),
    ...item && { item },
    ...fields && { fields },
  };
}

function totalOf({ size, item, fields }: ValueSize): number {
  if (fields !== undefined) {
    return Object.values(fields).reduce((sum, one) => sum + totalOf(one), size);
  }
  return size + (item === undefined ? 0 : size * totalOf(item));
}

function sum(parts: readonly Estimate[]): number {
  return parts.reduce((total, { cost }) => total + cost, 0);
}
