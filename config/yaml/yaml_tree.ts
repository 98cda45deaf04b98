/** Plain YAML tree, the common output of both parsers of client configurations. */

import type { Position } from "../../lib/text/text_position.ts";

/** A scalar without a type, which depends on its field. */
interface YamlText {
  readonly kind: "text";
  /** Text without quotes, with escapes resolved. */
  readonly value: string;
  /** True if unquoted, so that `true` may be a boolean. */
  readonly plain: boolean;
  /** Position of the first character, including a quote. */
  readonly at: Position;
}

/** An empty value, `~` or `null`. */
interface YamlNull {
  readonly kind: "null";
}

/** A sequence. */
export interface YamlList {
  readonly kind: "list";
  readonly items: readonly YamlTree[];
}

/** A mapping; no key occurs twice. */
export interface YamlMap {
  readonly kind: "map";
  readonly entries: readonly YamlEntry[];
}

/** Any node. */
export type YamlTree = YamlText | YamlNull | YamlList | YamlMap;

/** One key of a mapping and its value. */
export interface YamlEntry {
  readonly key: string;
  readonly at: Position;
  readonly value: YamlTree;
}

/** Reports whether two trees are equal, regardless of positions. */
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

/** Reports whether two mappings are equal, regardless of key order. */
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
