/** Functions of lists and mappings. */

import {
  any,
  fixed,
  FunctionProblem,
  listIn,
  mapIn,
  type TemplateFunction,
  toNumber,
  toText,
} from "./function.ts";
import {
  type GoMap,
  type GoValue,
  isTrue,
  sortedEntries,
  toJson,
} from "./values.ts";

function same(a: GoValue, b: GoValue): boolean {
  return JSON.stringify(toJson(a)) === JSON.stringify(toJson(b)) &&
    typeof a === typeof b;
}

function unique(values: readonly GoValue[]): readonly GoValue[] {
  return values.filter((one, index) =>
    values.findIndex((other) => same(one, other)) === index
  );
}

/** Merges mappings in depth. Without `overwrite`, what is there stays. */
function merge(target: GoMap, source: GoMap, overwrite: boolean): GoMap {
  for (const [key, value] of source) {
    const old = target.get(key);
    if (old instanceof Map && value instanceof Map) {
      merge(old, value, overwrite);
    } else if (overwrite ? isTrue(value) : !isTrue(old ?? null)) {
      target.set(key, value);
    }
  }
  return target;
}

function merged(overwrite: boolean): TemplateFunction {
  return any(1, (target, ...sources) =>
    sources.reduce<GoMap>(
      (all, one) => merge(all, mapIn(one), overwrite),
      mapIn(target),
    ));
}

function copy(value: GoValue): GoValue {
  if (value instanceof Map) {
    return new Map([...value].map(([key, one]) => [key, copy(one)] as const));
  }
  return Array.isArray(value) ? value.map(copy) : value;
}

function count(from: number, to: number, step: number): readonly number[] {
  const length = step === 0 ? 0 : Math.ceil((to - from) / step);
  if (length > 100_000) throw new FunctionProblem("the list is too long");
  return Array.from({ length: Math.max(0, length) }, (_, i) => from + i * step);
}

/** `dig "a" "b" initial mapping`. */
function dig(...args: readonly GoValue[]): GoValue {
  const [initial = null, root = null] = args.slice(-2);
  let value: GoValue = root;
  for (const key of args.slice(0, -2)) {
    if (!(value instanceof Map) || !value.has(toText(key))) return initial;
    value = value.get(toText(key)) ?? null;
  }
  return value;
}

/** Functions by name. */
export const listsAndMaps: Readonly<Record<string, TemplateFunction>> = {
  list: any(0, (...values) => values),
  first: fixed(1, (list) => listIn(list)[0] ?? null),
  last: fixed(1, (list) => listIn(list).at(-1) ?? null),
  rest: fixed(1, (list) => listIn(list).slice(1)),
  initial: fixed(1, (list) => listIn(list).slice(0, -1)),
  append: fixed(2, (list, value) => [...listIn(list), value]),
  prepend: fixed(2, (list, value) => [value, ...listIn(list)]),
  concat: any(1, (...lists) => lists.flatMap(listIn)),
  reverse: fixed(1, (list) => listIn(list).toReversed()),
  uniq: fixed(1, (list) => unique(listIn(list))),
  compact: fixed(1, (list) => listIn(list).filter(isTrue)),
  without: any(
    1,
    (list, ...values) =>
      listIn(list).filter((one) => !values.some((other) => same(one, other))),
  ),
  has: fixed(
    2,
    (value, list) => listIn(list ?? []).some((one) => same(one, value)),
  ),
  sortAlpha: fixed(1, (list) => listIn(list).map(toText).sort()),
  until: fixed(1, (end) => count(0, toNumber(end), 1)),
  untilStep: fixed(
    3,
    (from, to, step) => count(toNumber(from), toNumber(to), toNumber(step)),
  ),
  slice: any(1, (list, from = 0, to = null) =>
    listIn(list).slice(
      toNumber(from),
      to === null ? undefined : toNumber(to),
    )),
  dict: any(0, (...args) => {
    const map: GoMap = new Map();
    for (let index = 0; index < args.length; index += 2) {
      map.set(toText(args[index] ?? null), args[index + 1] ?? "");
    }
    return map;
  }),
  get: fixed(2, (map, key) => mapIn(map).get(toText(key)) ?? ""),
  set: fixed(3, (map, key, value) => mapIn(map).set(toText(key), value)),
  unset: fixed(2, (map, key) => {
    mapIn(map).delete(toText(key));
    return map;
  }),
  hasKey: fixed(2, (map, key) => mapIn(map).has(toText(key))),
  keys: any(
    1,
    (...maps) =>
      maps.flatMap((map) => sortedEntries(mapIn(map)).map(([key]) => key)),
  ),
  values: fixed(1, (map) => sortedEntries(mapIn(map)).map(([, one]) => one)),
  pick: any(
    1,
    (map, ...keys) =>
      new Map([...mapIn(map)].filter(([key]) => keys.includes(key))),
  ),
  omit: any(
    1,
    (map, ...keys) =>
      new Map([...mapIn(map)].filter(([key]) => !keys.includes(key))),
  ),
  merge: merged(false),
  mergeOverwrite: merged(true),
  deepCopy: fixed(1, copy),
  dig: any(3, dig),
};
