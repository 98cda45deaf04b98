/** What the variables among the types of an expression stand for. */

import { bool, dyn, isSame, type Type } from "./types.ts";

/** What is known so far. */
export interface Bindings {
  /** Types by the names of variables. */
  readonly types: Map<string, Type>;
  /** What was known before, in the order it changed, to take changes back. */
  readonly past: [name: string, type: Type | undefined][];
  count: number;
}

/** Starts with nothing known. */
export function noBindings(): Bindings {
  return { types: new Map(), past: [], count: 0 };
}

/** Makes a variable that is not defined yet. */
export function freshVariable(bindings: Bindings): Type {
  return { name: `'${bindings.count++}`, parts: [], open: true };
}

/** Gives the variables of a function's types new names, the same to the same. */
export function renewed(
  bindings: Bindings,
  types: readonly Type[],
): readonly Type[] {
  const fresh = new Map<string, Type>();
  function renew(type: Type): Type {
    if (type.open) {
      const known = fresh.get(type.name) ?? freshVariable(bindings);
      fresh.set(type.name, known);
      return known;
    }
    if (type.parts.length === 0) return type;
    return { ...type, parts: type.parts.map(renew) };
  }
  return types.map(renew);
}

/** Puts into a type what is known of its variables. */
export function resolved(bindings: Bindings, type: Type): Type {
  if (type.open) {
    const known = bindings.types.get(type.name);
    return known === undefined ? type : resolved(bindings, known);
  }
  if (type.parts.length === 0) return type;
  return { ...type, parts: type.parts.map((part) => resolved(bindings, part)) };
}

/**
 * Reports whether values of types may stand where others are wanted, and learns from it.
 *
 * Nothing is learned when one of them does not fit.
 *
 * @param bindings What is known; changes.
 */
export function fit(
  bindings: Bindings,
  wanted: readonly Type[],
  given: readonly Type[],
): boolean {
  const mark = bindings.past.length;
  if (allFit(bindings, wanted, given)) return true;
  for (const [name, type] of bindings.past.splice(mark).reverse()) {
    if (type === undefined) bindings.types.delete(name);
    else bindings.types.set(name, type);
  }
  return false;
}

/** Finds the type that covers two which fit. Returns the first, unless the second says less. */
export function moreGeneral(a: Type, b: Type): Type {
  return saysLess(a, b) ? a : b;
}

function saysLess(a: Type, b: Type): boolean {
  if (isAny(a) || a.open) return true;
  if (isAny(b) || b.open || a.name !== b.name) return false;
  return a.parts.every((part, i) => saysLess(part, b.parts[i] ?? dyn));
}

function allFit(
  bindings: Bindings,
  a: readonly Type[],
  b: readonly Type[],
): boolean {
  return a.length === b.length &&
    a.every((one, i) => fits(bindings, one, b[i] ?? bool));
}

function fits(bindings: Bindings, a: Type, b: Type): boolean {
  if (b.open) {
    const outcome = bind(bindings, b, a);
    if (outcome !== "circular") return outcome === "bound";
  }
  if (a.open) return bind(bindings, a, b) === "bound";
  if (isAny(a) || isAny(b)) return true;
  if (a.name === "null") return mayBeNull(b);
  if (b.name === "null") return mayBeNull(a);
  return a.name === b.name && allFit(bindings, a.parts, b.parts);
}

/** Lets a variable stand for a type, or for something that covers it and what it stood for. */
function bind(
  bindings: Bindings,
  variable: Type,
  type: Type,
): "bound" | "different" | "circular" {
  if (isSame(variable, type)) return "bound";
  const known = bindings.types.get(variable.name);
  if (known === undefined) {
    if (occurs(bindings, variable, type)) return "circular";
    bindType(bindings, variable, type);
    return "bound";
  }
  if (isSame(known, type)) return "bound";
  if (!fits(bindings, type, known)) return "different";
  const general = moreGeneral(type, known);
  if (!occurs(bindings, variable, general)) {
    bindType(bindings, variable, general);
  }
  return "bound";
}

function bindType(bindings: Bindings, { name }: Type, type: Type): void {
  bindings.past.push([name, bindings.types.get(name)]);
  bindings.types.set(name, type);
}

/** A variable must not stand for something that it is part of. */
function occurs(bindings: Bindings, variable: Type, within: Type): boolean {
  if (isSame(variable, within)) return true;
  if (within.open) {
    const known = bindings.types.get(within.name);
    return known !== undefined && occurs(bindings, variable, known);
  }
  return within.parts.some((part) => occurs(bindings, variable, part));
}

function isAny({ name }: Type): boolean {
  return name === dyn.name;
}

/** Plain values, lists and maps are never null. */
function mayBeNull({ name, parts }: Type): boolean {
  if (name === "optional") return true;
  return parts.length === 0 && !plain.has(name);
}

const plain = new Set(
  ["bool", "bytes", "double", "int", "string", "type", "uint"],
);
