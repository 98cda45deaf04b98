/** Bindings of type variables in an expression. */

import { bool, dyn, isSame, type Type } from "./types.ts";

/** Current bindings. */
export interface Bindings {
  /** Types by variable name. */
  readonly types: Map<string, Type>;
  /** Previous bindings in the order of changes, for rollback. */
  readonly past: [name: string, type: Type | undefined][];
  count: number;
}

/** Creates empty bindings. */
export function noBindings(): Bindings {
  return { types: new Map(), past: [], count: 0 };
}

/** Creates an unbound variable. */
export function freshVariable(bindings: Bindings): Type {
  return { name: `'${bindings.count++}`, parts: [], open: true };
}

/** Renames the variables of a function's types consistently. */
export function freshTypes(
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

/** Replaces bound variables in a type. */
export function resolveType(bindings: Bindings, type: Type): Type {
  if (type.open) {
    const known = bindings.types.get(type.name);
    return known === undefined ? type : resolveType(bindings, known);
  }
  if (type.parts.length === 0) return type;
  return {
    ...type,
    parts: type.parts.map((part) => resolveType(bindings, part)),
  };
}

/**
 * Reports whether types are assignable to others, and binds variables.
 *
 * Binds nothing if one of them is not assignable.
 *
 * @param bindings Current bindings; modified.
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

/** Finds the more general of two assignable types. Returns the first, unless the second is less specific. */
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

/** Binds a variable to a type, or to a more general one that also covers its earlier binding. */
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

/** A variable must not be bound to a type that contains it. */
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

/** Scalars, lists and maps are never null. */
function mayBeNull({ name, parts }: Type): boolean {
  if (name === "optional") return true;
  return parts.length === 0 && !plain.has(name);
}

const plain = new Set(
  ["bool", "bytes", "double", "int", "string", "type", "uint"],
);
