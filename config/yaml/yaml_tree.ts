/** YAML as a plain tree: what both readers of client configurations agree on. */

import type { Position } from "../../lib/text/misread.ts";

/** A scalar; its type is left open, since only the reader of a field knows it. */
interface YamlText {
  /** Tells the kinds of node apart. */
  readonly kind: "text";
  /** Text without quotes, escapes resolved. */
  readonly value: string;
  /** True when it was written without quotes, so that `true` may mean a boolean. */
  readonly plain: boolean;
  /** First character, a quote included. */
  readonly at: Position;
}

/** Nothing, `~` or `null`. */
interface YamlNull {
  /** Tells the kinds of node apart. */
  readonly kind: "null";
}

/** A sequence. */
export interface YamlList {
  /** Tells the kinds of node apart. */
  readonly kind: "list";
  readonly items: readonly YamlTree[];
}

/** A mapping; no key occurs twice. */
export interface YamlMap {
  /** Tells the kinds of node apart. */
  readonly kind: "map";
  readonly entries: readonly YamlEntry[];
}

/** Any node. */
export type YamlTree = YamlText | YamlNull | YamlList | YamlMap;

/** One key of a mapping and what it holds. */
export interface YamlEntry {
  readonly key: string;
  readonly at: Position;
  readonly value: YamlTree;
}

/** Reports whether two trees mean the same; where they are does not matter. */
export function sameTree(a: YamlTree, b: YamlTree): boolean {
  if (a.kind === "text" && b.kind === "text") {
    return a.value === b.value && a.plain === b.plain;
  }
  if (a.kind === "list" && b.kind === "list") {
    return a.items.length === b.items.length &&
      a.items.every((item, i) => {
        const other = b.items[i];
        return other !== undefined && sameTree(item, other);
      });
  }
  if (a.kind === "map" && b.kind === "map") {
    return sameEntries(a.entries, b.entries);
  }
  return a.kind === "null" && b.kind === "null";
}

/** Reports whether two mappings mean the same; the order of keys does not matter. */
export function sameEntries(
  a: readonly YamlEntry[],
  b: readonly YamlEntry[],
): boolean {
  if (a.length !== b.length) return false;
  const others = new Map(b.map(({ key, value }) => [key, value]));
  return a.every(({ key, value }) => {
    const other = others.get(key);
    return other !== undefined && sameTree(value, other);
  });
}
