/** Access to a document by key, with the path of every value. */

import {
  type ConfigNode,
  findChild,
  isNull,
  type Place,
} from "../tree/node.ts";
import { parseWholeNumber } from "../tree/implicit_type.ts";
import { pathText, type Problem } from "./problem.ts";

/** A location in a document, with or without a value. */
export interface Cursor {
  /** Keys and indices from the root. */
  readonly path: readonly (string | number)[];
  /** Value; absent also for null. */
  readonly node: ConfigNode | undefined;
  /** Position; that of the nearest parent if there is no value. */
  readonly at: Place | undefined;
  /** Moves to a key, or along a chain of keys. */
  get(...keys: readonly string[]): Cursor;
  /** Elements of a sequence without null ones, which nodes skip; empty for anything else. */
  items(): readonly Cursor[];
  /** Elements of a sequence in which nodes keep null ones; empty for anything else. */
  elements(): readonly Cursor[];
  /** Entries of a mapping, including null values; empty for anything else. */
  entries(): readonly (readonly [key: string, value: Cursor])[];
  /** Text of a scalar; `undefined` if absent or a collection. */
  text(): string | undefined;
  /** Texts of a sequence, or one alone. */
  texts(): readonly string[];
  /** Value of a boolean; `undefined` if absent or not a boolean. */
  truth(): boolean | undefined;
  /** Value of a whole number; `undefined` if absent or not a whole number. */
  number(): number | undefined;
  error(message: string, hint?: string): Problem;
  /** Creates a warning about a value that is probably unintended. */
  warning(message: string, hint?: string): Problem;
}

const truths = new Map([
  ...["true", "yes", "on", "y"].map((word) => [word, true] as const),
  ...["false", "no", "off", "n"].map((word) => [word, false] as const),
]);

/** Cursor at the root of a document. */
export function toCursor(root: ConfigNode): Cursor {
  return stand(root, [], root.at);
}

function stand(
  given: ConfigNode | undefined,
  path: readonly (string | number)[],
  at: Place | undefined,
): Cursor {
  const node = isNull(given) ? undefined : given;
  const scalar = node?.kind === "scalar" ? node.text : undefined;
  const problem = (
    level: Problem["level"],
    message: string,
    hint: string | undefined,
  ): Problem => ({
    level,
    path: pathText(path),
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(at === undefined ? {} : { at }),
  });
  const elements = (): readonly Cursor[] =>
    node?.kind === "list"
      ? node.items.map(({ value }, index) =>
        stand(value, [...path, index], value.at ?? at)
      )
      : [];
  return {
    path,
    node,
    at,
    get: (...keys) => descend({ node, path, at }, keys),
    items: () => elements().filter((item) => item.node !== undefined),
    elements,
    entries: () =>
      node?.kind === "map"
        ? node.entries.map((entry) =>
          [
            entry.key,
            stand(entry.value, [...path, entry.key], entry.at ?? at),
          ] as const
        )
        : [],
    text: () => scalar,
    texts: () =>
      scalar === undefined
        ? elements().flatMap((item) => item.text() ?? [])
        : [scalar],
    truth: () => truths.get(scalar?.toLowerCase() ?? ""),
    number: () => parseNumber(scalar),
    error: (message, hint) => problem("error", message, hint),
    warning: (message, hint) => problem("warning", message, hint),
  };
}

function descend(
  from: Pick<Cursor, "node" | "path" | "at">,
  keys: readonly string[],
): Cursor {
  let { node, path, at } = from;
  for (const key of keys) {
    const entry = node?.kind === "map"
      ? node.entries.find((candidate) => candidate.key === key)
      : undefined;
    node = findChild(node, key);
    path = [...path, key];
    at = entry?.at ?? at;
  }
  return stand(node, path, at);
}

function parseNumber(text: string | undefined): number | undefined {
  const value = text === undefined ? undefined : parseWholeNumber(text);
  return value === undefined ? undefined : Number(value);
}
