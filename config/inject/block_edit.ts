/** Edits of mappings and lists that stand on lines of their own. */

import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Change } from "./change.ts";
import {
  commentsIn,
  type Edit,
  lineStart,
  nextLine,
  passComments,
} from "./edit.ts";
import { blockColumn, blockLines, type Style } from "./written_value.ts";
import { mapOf } from "./value.ts";

/** A text and how to write into it. */
export interface Target {
  /** Text of one document. */
  readonly text: string;
  /** Indentation. */
  readonly style: Style;
}

/**
 * Puts a list that was missing at the end of a mapping.
 *
 * @param target Text and style.
 * @param map Block mapping with at least one key.
 * @param change What joins.
 */
export function addBlockList(
  { text, style }: Target,
  map: YAMLMap,
  { key, add }: Change,
): readonly Edit[] {
  const column = blockColumn(map) ?? 0;
  const lines = blockLines(mapOf({ [key]: add }), column, style);
  const at = passComments(text, endOf(text, map), column);
  return [insertion(at, lines, style)];
}

/**
 * Writes a list where a key has nothing or an empty list; what is behind it on its line stays.
 *
 * @param target Text and style.
 * @param map Block mapping with the key.
 * @param pair The key, and `null` or `[]` on one line.
 * @param change What joins.
 */
export function fillBlockList(
  { text, style }: Target,
  map: YAMLMap,
  pair: Pair,
  { add }: Change,
): readonly Edit[] {
  const [from, to] = rangeOf(pair.value);
  const column = (blockColumn(map) ?? 0) + style.dash;
  const start = from - (/ *$/.exec(text.slice(0, from))?.[0].length ?? 0);
  const edits = [
    insertion(nextLine(text, to), blockLines(add, column, style), style),
  ];
  // An empty value has nothing to take away, not even the space before a comment.
  return from === to ? edits : [{ from: start, to, text: "" }, ...edits];
}

/**
 * Changes the items of a list. Comments of an item that leaves stay.
 *
 * @param target Text and style.
 * @param list Block list.
 * @param change What leaves and what joins.
 */
export function editBlockList(
  { text, style }: Target,
  list: YAMLSeq,
  { drop, add }: Change,
): readonly Edit[] {
  const column = blockColumn(list) ?? 0;
  const ends = list.items.map((item) =>
    passComments(text, endOf(text, item), column + 1)
  );
  const edits = drop.map((i) => {
    const from = lineStart(text, dashOf(list, i));
    const to = ends[i] ?? 0;
    const comments = commentsIn(text.slice(from, to))
      .map((comment) => " ".repeat(column) + comment);
    return { ...insertion(from, comments, style), to };
  });
  const at = ends.at(-1) ?? 0;
  return [...edits, insertion(at, blockLines(add, column, style), style)];
}

function insertion(
  at: number,
  lines: readonly string[],
  { eol }: Style,
): Edit {
  return { from: at, to: at, text: lines.map((line) => line + eol).join("") };
}

function dashOf(list: YAMLSeq, i: number): number {
  const { srcToken } = list;
  const item = srcToken?.type === "block-seq" ? srcToken.items[i] : undefined;
  const dash = item?.start.find(({ type }) => type === "seq-item-ind");
  return dash?.offset ?? 0;
}

/** Start of the line below a node. */
function endOf(text: string, node: unknown): number {
  return nextLine(text, lastOf(node));
}

// Collections claim the empty lines and comments below them; what is deepest in them does not.
function lastOf(node: unknown): number {
  if (isCollection(node) && !node.flow && node.items.length > 0) {
    const last = node.items.at(-1);
    return isMap(node) ? lastOfPair(last as Pair) : lastOf(last);
  }
  return rangeOf(node)[1];
}

function lastOfPair({ key, value }: Pair): number {
  return lastOf(value ?? key);
}

function rangeOf(node: unknown): readonly [number, number] {
  const ranged = isScalar(node) || isAlias(node) || isCollection(node);
  const range = ranged ? (node as Node).range : undefined;
  return [range?.[0] ?? 0, range?.[1] ?? 0];
}
