import {
  type ConfigNode,
  isNull,
  type MapEntry,
  type Place,
  withValues,
} from "../../../config/tree/node.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import type { SourceProblem } from "./problem.ts";
import type {
  Keys,
  LanguageScalar,
  LanguageShape,
  LanguageStruct,
} from "./shape.ts";

interface FitWalk {
  readonly problems: SourceProblem[];
  /** Place of the nearest enclosing value. */
  readonly around: Place;
}

/** Validates a document against its shape. `around`: place of the file, for values without one. */
export function fit(
  node: ConfigNode,
  shape: LanguageShape,
  around: Place,
): readonly SourceProblem[] {
  const walk = { problems: [], around };
  value(node, shape, walk);
  return walk.problems;
}

/** Drops the keys that a shape does not know. `drop` gets each, and the known ones beside it. */
export function withoutUnknown(
  node: ConfigNode,
  shape: LanguageShape,
  drop: (entry: MapEntry, known: Keys) => void,
): ConfigNode {
  if (node.kind === "list" && shape.shape === "list") {
    return withValues(node, (one) => withoutUnknown(one, shape.of, drop));
  }
  if (node.kind !== "map" || shape.shape !== "struct") return node;
  const { keys } = shape;
  const entries = node.entries.flatMap((entry) => {
    const key = Object.hasOwn(keys, entry.key) ? keys[entry.key] : undefined;
    if (key === undefined) return drop(entry, keys) ?? [];
    return [{ ...entry, value: withoutUnknown(entry.value, key.shape, drop) }];
  });
  return { ...node, entries };
}

/** Suggests a similar name, or lists the known ones. */
export function suggest(wrong: string, known: Iterable<string>): string {
  const words = [...known];
  const near = nearest(wrong, words);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (words.length === 0) return "There are none";
  const family = wrong.slice(0, wrong.indexOf(".") + 1);
  const kin = words.filter((word) => family !== "" && word.startsWith(family));
  const named = kin.length === 0 ? words : kin;
  const more = named.length > mostNamed ? ", …" : "";
  return `Known: ${named.slice(0, mostNamed).join(", ")}${more}`;
}

const mostNamed = 20;

function value(node: ConfigNode, shape: LanguageShape, outer: FitWalk): void {
  const walk = { ...outer, around: node.at ?? outer.around };
  switch (shape.shape) {
    case "free":
      return;
    case "scalar":
      return scalar(node, shape, walk);
    case "list": {
      if (node.kind === "list") {
        if (shape.filled && node.items.length === 0) {
          return say(
            walk,
            "This list is empty",
            `Give ${formatName(shape.of)}`,
          );
        }
        return node.items.forEach((item) => value(item.value, shape.of, walk));
      }
      return shape.alone
        ? value(node, shape.of, walk)
        : misshapen(node, shape, walk);
    }
    case "map":
      if (node.kind !== "map") return misshapen(node, shape, walk);
      for (const entry of node.entries) {
        const within = { ...walk, around: entry.at ?? walk.around };
        scalar(keyNode(entry), shape.keys, within);
        value(entry.value, shape.of, within);
      }
      return;
    case "struct":
      if (node.kind === "scalar" && shape.short && !isNull(node)) {
        return scalar(node, shape.short, walk);
      }
      if (node.kind !== "map") return misshapen(node, shape, walk);
      return struct(node.entries, shape, walk);
  }
}

function keyNode({ key, at }: MapEntry): ConfigNode {
  return {
    kind: "scalar",
    text: key,
    plain: false,
    at,
  };
}

function scalar(node: ConfigNode, shape: LanguageScalar, walk: FitWalk): void {
  if (node.kind !== "scalar" || isNull(node)) {
    return misshapen(node, shape, walk);
  }
  const fault = shape.fault(node);
  if (fault === undefined) return;
  const hint = shape.words === undefined
    ? `Give ${shape.expected}`
    : suggest(node.text, shape.words);
  say(walk, fault, hint);
}

function struct(
  entries: readonly MapEntry[],
  shape: LanguageStruct,
  walk: FitWalk,
): void {
  const keys = keysFor(entries, shape, walk);
  for (const entry of entries) {
    const within = { ...walk, around: entry.at ?? walk.around };
    const key = Object.hasOwn(keys, entry.key) ? keys[entry.key] : undefined;
    if (key === undefined) unknown(entry, keys, shape, within);
    else if (!isNull(entry.value)) value(entry.value, key.shape, within);
    else if (key.required || entry.key === findVerb(keys, shape)) {
      say(within, `"${entry.key}" is empty`, `Give ${formatName(key.shape)}`);
    }
  }
  const given = new Set(entries.map(({ key }) => key));
  for (const [name, key] of Object.entries(keys)) {
    if (!key.required || given.has(name)) continue;
    const what = `This ${shape.name} has no "${name}"`;
    say(walk, what, `Give ${formatName(key.shape)}`);
  }
}

/** Allowed keys, given the verb of the step. */
function keysFor(
  entries: readonly MapEntry[],
  { keys, verbs, name }: LanguageStruct,
  walk: FitWalk,
): Keys {
  if (verbs === undefined) return keys;
  const found = entries.filter(({ key }) => Object.hasOwn(verbs, key));
  const [first, second] = found;
  if (first === undefined) {
    say(
      walk,
      `This ${name} does nothing`,
      `Give one of ${Object.keys(verbs).join(", ")}`,
    );
    return Object.assign({}, ...Object.values(verbs).map(optional), keys);
  }
  if (second !== undefined) {
    say(
      { ...walk, around: second.at ?? walk.around },
      `This ${name} has both "${first.key}" and "${second.key}"`,
      "Split it into two steps",
    );
    const both = found.map(({ key }) => optional(verbs[key] ?? {}));
    return Object.assign({}, ...both, keys);
  }
  return { ...keys, ...verbs[first.key] };
}

function optional(keys: Keys): Keys {
  return Object.fromEntries(
    Object.entries(keys).map(([name, { shape, summary }]) =>
      [name, { shape, summary }] as const
    ),
  );
}

function findVerb(keys: Keys, { verbs }: LanguageStruct): string | undefined {
  if (verbs === undefined) return undefined;
  return Object.keys(verbs).find((verb) => Object.hasOwn(keys, verb));
}

function unknown(
  { key }: MapEntry,
  keys: Keys,
  shape: LanguageStruct,
  walk: FitWalk,
): void {
  const verbs = Object.entries(shape.verbs ?? {});
  const owner = verbs.find(([, own]) => Object.hasOwn(own, key))?.[0];
  if (owner === undefined) {
    const hint = suggest(key, Object.keys(keys));
    return say(walk, `Unknown key "${key}"`, hint);
  }
  const verb = findVerb(keys, shape);
  say(
    walk,
    `"${key}" cannot be combined with "${verb}"`,
    `Use it with ${owner}`,
  );
}

function misshapen(
  node: ConfigNode,
  shape: LanguageShape,
  walk: FitWalk,
): void {
  const kinds = { scalar: "a single value", list: "a list", map: "a mapping" };
  const found = isNull(node) ? "empty" : kinds[node.kind];
  say(walk, `This is ${found}`, `Give ${formatName(shape)}`);
}

function formatName(shape: LanguageShape): string {
  switch (shape.shape) {
    case "scalar":
      return shape.expected;
    case "list":
      return shape.alone
        ? `${formatName(shape.of)}, or a list of them`
        : shape.of.shape === "struct"
        ? `a list of ${shape.of.name}s`
        : "a list";
    case "struct":
      return shape.short === undefined
        ? `a mapping with the keys of ${shape.name}`
        : `${shape.short.expected}, or a mapping`;
    default:
      return "a mapping";
  }
}

function say(
  { problems, around }: FitWalk,
  message: string,
  hint: string,
): void {
  problems.push({ place: around, message, hint });
}
