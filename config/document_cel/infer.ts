/** Type inference for expressions, as on a node. */

import {
  type Bindings,
  fit,
  freshTypes,
  freshVariable,
  moreGeneral,
  noBindings,
  resolveType,
} from "./bindings.ts";
import { type CelScope, isForeign } from "./environments.ts";
import {
  mixedElements,
  noFields,
  notListed,
  notTruth,
  notWalked,
  tooDeep,
  unknownField,
  unknownFunction,
  unknownName,
} from "./type_errors.ts";
import type { Overload } from "./functions.ts";
import { argumentError } from "./argument_errors.ts";
import type {
  CallNode,
  LoopNode,
  MapElement,
  NameNode,
  Node,
  SelectNode,
} from "./syntax.ts";
import {
  bool,
  dyn,
  isSame,
  listOf,
  optionalOf,
  type Type,
  unwrapOptional,
} from "./types.ts";

/** Deepest nesting of operators and fields that a node accepts. */
const deepest = 250;

/** State of a walk through an expression. */
interface InferenceWalk {
  readonly environment: CelScope;
  readonly bindings: Bindings;
  /** Variables of the enclosing macros, the innermost last. */
  readonly scopes: (readonly [name: string, type: Type])[];
  /** True if different number types may be compared: nodes stop forbidding it after the first macro. */
  mixedComparisons: boolean;
  /** Depth of enclosing operators and fields. */
  depth: number;
  /** Cached types of duplicated macro arguments, which would otherwise be checked 2ⁿ times. */
  readonly cache: Map<Node, Type>;
}

/** Infers the type of an expression. Unknown parts are variables. Throws `ExpressionError` if it has no type. */
export function inferType(node: Node, environment: CelScope): Type {
  const bindings = noBindings();
  const start = {
    scopes: [],
    mixedComparisons: false,
    depth: 0,
    cache: new Map(),
  };
  const type = infer({ environment, bindings, ...start }, node);
  return resolveType(bindings, type);
}

function infer(walk: InferenceWalk, node: Node): Type {
  if (!isLayer(node)) return inferPart(walk, node);
  if (++walk.depth > deepest) throw tooDeep(node, deepest);
  const type = inferPart(walk, node);
  walk.depth--;
  return type;
}

/** Reports whether a node counts as a nesting level: not parentheses, signs, logic and macro output. */
function isLayer(node: Node): boolean {
  if (node.kind === "call") {
    const { target, macro, name } = node;
    if (target !== undefined) return true;
    return macro === undefined && /^_(?!&&|\|\|)|^in$/.test(name);
  }
  return node.kind === "select" || node.kind === "loop";
}

function inferPart(walk: InferenceWalk, node: Node): Type {
  switch (node.kind) {
    case "literal":
      return { name: node.type, parts: [] };
    case "name":
      return inferName(walk, node);
    case "select":
      return inferSelect(walk, node);
    case "call":
      return inferCall(walk, node);
    case "list":
      return listOf(
        node.elements.reduce<Type | undefined>(
          (type, { value, optional }) =>
            joinTypes(walk, type, inferElement(walk, value, optional)),
          undefined,
        ) ?? freshVariable(walk.bindings),
      );
    case "map":
      return inferMap(walk, node.entries);
    case "record":
      node.values.forEach((value) => infer(walk, value));
      if (isForeign(node.name, walk.environment)) return dyn;
      throw unknownName(node, walk.environment);
    case "loop":
      return inferLoop(walk, node);
  }
}

function inferName(
  { scopes, environment }: InferenceWalk,
  node: NameNode,
): Type {
  const local = scopes.findLast(([known]) => known === node.name);
  if (local !== undefined && !node.name.startsWith(".")) return local[1];
  const type = environment.names.get(node.name.replace(/^\./, ""));
  if (type !== undefined) return type;
  throw unknownName(node, environment, scopes.map(([known]) => known));
}

function inferSelect(walk: InferenceWalk, node: SelectNode): Type {
  const path = formatPath(node);
  const [root] = path.split(".");
  if (
    isForeign(path, walk.environment) &&
    !walk.scopes.some(([known]) => known === root)
  ) return dyn;
  const type = resolveType(walk.bindings, infer(walk, node.operand));
  const inner = unwrapOptional(type);
  const field = inferField(walk, node, inner ?? type);
  if (node.style === "test") return bool;
  const wrapped = inner !== undefined || node.style === "optional";
  return wrapped ? optionalOf(field) : resolveType(walk.bindings, field);
}

/** Dotted name; empty for anything else. */
function formatPath(node: Node): string {
  if (node.kind === "name") return node.name.replace(/^\./, "");
  if (node.kind !== "select" || node.style !== "plain") return "";
  const path = formatPath(node.operand);
  return path === "" ? "" : `${path}.${node.field}`;
}

function inferField(walk: InferenceWalk, node: SelectNode, type: Type): Type {
  if (type.open) fit(walk.bindings, [dyn], [type]);
  if (type.open || type.name === "dyn") return dyn;
  if (type.name === "map") return type.parts[1] ?? dyn;
  const record = walk.environment.records.get(type.name);
  if (record === undefined) throw noFields(node, type);
  const field = record.get(node.field);
  if (field === undefined) throw unknownField(node, type, record);
  return field;
}

function inferCall(walk: InferenceWalk, node: CallNode): Type {
  const { name, target } = node;
  const styles = groupStyles(walk, node);
  const { own, other, spaced } = styles;
  const logic = name === "_&&_" || name === "_||_";
  if (own === undefined && other === undefined && !logic) {
    if (target !== undefined) infer(walk, target);
    throw unknownFunction(node, walk.environment);
  }
  const args = node.args.map((arg) => infer(walk, arg));
  if (logic) return inferLogic(walk, node, args);
  if (target !== undefined && !spaced) args.unshift(inferTarget(walk, node));
  return chosen(walk, node, args, own);
}

/** Overloads in call style, and in the other style. */
function groupStyles(
  { environment: { functions } }: InferenceWalk,
  { name, target }: CallNode,
): {
  readonly own: readonly Overload[] | undefined;
  readonly other: readonly Overload[] | undefined;
  /** True if the part before the dot belongs to the name: `optional.of`. */
  readonly spaced: boolean;
} {
  const plain = name.replace(/^\./, "");
  if (target === undefined) {
    const other = functions.get(`.${plain}`);
    return { own: functions.get(plain), other, spaced: false };
  }
  const path = formatPath(target);
  const spaced = path === "" ? undefined : functions.get(`${path}.${name}`);
  if (spaced !== undefined) {
    return { own: spaced, other: undefined, spaced: true };
  }
  const own = functions.get(`.${name}`);
  return { own, other: functions.get(name), spaced: false };
}

function inferTarget(walk: InferenceWalk, { target, macro }: CallNode): Type {
  if (target === undefined) return dyn;
  const known = walk.cache.get(target);
  if (known !== undefined) return known;
  const type = infer(walk, target);
  if (macro !== undefined) walk.cache.set(target, type);
  return type;
}

function inferLogic(
  walk: InferenceWalk,
  node: CallNode,
  args: readonly Type[],
): Type {
  args.forEach((arg, i) => {
    if (fit(walk.bindings, [arg], [bool])) return;
    throw notTruth(node, i, resolveType(walk.bindings, arg));
  });
  return bool;
}

/** Tries all overloads; the result is `dyn` if several match with different results. */
function chosen(
  walk: InferenceWalk,
  node: CallNode,
  args: readonly Type[],
  overloads: readonly Overload[] | undefined,
): Type {
  const { bindings, mixedComparisons } = walk;
  let result: Type | undefined;
  for (const overload of overloads ?? []) {
    if (overload.mixedComparisons && !mixedComparisons) continue;
    const types = freshTypes(bindings, [overload.result, ...overload.params]);
    const [own = dyn, ...params] = types;
    if (!fit(bindings, args, params)) continue;
    const found = resolveType(bindings, own);
    result = result === undefined || isSame(result, found) ? found : dyn;
  }
  if (result !== undefined) return result;
  const given = args.map((arg) => resolveType(bindings, arg));
  throw argumentError(node, given, overloads);
}

function inferElement(
  walk: InferenceWalk,
  value: Node,
  optional: boolean,
): Type {
  const type = infer(walk, value);
  if (!optional) return type;
  const inner = unwrapOptional(type);
  if (inner === undefined && type.name !== "dyn") throw notListed(value, type);
  return inner ?? type;
}

function inferMap(walk: InferenceWalk, entries: readonly MapElement[]): Type {
  let key: Type | undefined;
  let value: Type | undefined;
  for (const entry of entries) {
    key = joinTypes(walk, key, infer(walk, entry.key));
    const own = inferElement(walk, entry.value, entry.optional);
    value = joinTypes(walk, value, own);
  }
  key ??= freshVariable(walk.bindings);
  value ??= freshVariable(walk.bindings);
  return { name: "map", parts: [key, value] };
}

/** Lists and maps may hold values of different types; elements are then `dyn`. */
function joinTypes(
  walk: InferenceWalk,
  before: Type | undefined,
  type: Type,
): Type {
  if (before === undefined) return type;
  return fit(walk.bindings, [before], [type]) ? moreGeneral(before, type) : dyn;
}

function inferLoop(walk: InferenceWalk, node: LoopNode): Type {
  const { bindings, scopes } = walk;
  const type = infer(walk, node.range);
  const carried = infer(walk, node.initial);
  const range = resolveType(bindings, type);
  walk.mixedComparisons = true;
  scopes.push([node.accumulator, carried]);
  scopes.push([node.variable, inferLoopElement(walk, node, range)]);
  fit(bindings, [bool], [infer(walk, node.condition)]);
  const step = infer(walk, node.step);
  if (!fit(bindings, [carried], [step])) throw mixedElements(node);
  scopes.pop();
  const result = infer(walk, node.result);
  scopes.pop();
  return resolveType(bindings, result);
}

function inferLoopElement(
  walk: InferenceWalk,
  { range }: LoopNode,
  type: Type,
): Type {
  if (type.open) fit(walk.bindings, [dyn], [type]);
  if (type.open || type.name === "dyn") return dyn;
  if (type.name !== "list" && type.name !== "map") throw notWalked(range, type);
  return type.parts[0] ?? dyn;
}
