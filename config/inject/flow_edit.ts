/** Edits of mappings and lists that stand between braces and brackets, JSON among them. */

import {
  isMap,
  isScalar,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Target } from "./block_edit.ts";
import type { Change } from "./change.ts";
import { commentsIn, type Edit, lineEnd, lineStart, nextLine } from "./edit.ts";
import type { Value } from "./value.ts";
import { flowText, jsonText } from "./written_value.ts";

/** Where something stands in a text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** How something new is laid out. */
interface Layout {
  /** Column where it starts; `undefined` when it shares a line with others. */
  readonly column: number | undefined;
  /** Spaces by which its own lines are indented; 0 when it has one line. */
  readonly step: number;
}

/**
 * Tells whether new things beside this should be written as JSON.
 *
 * @param node Any node.
 */
export function isJson(node: unknown): boolean {
  const key = isMap(node) && node.flow ? node.items[0]?.key : undefined;
  return isScalar(key) && key.type === Scalar.QUOTE_DOUBLE;
}

/**
 * Puts a list that was missing at the end of a mapping.
 *
 * @param target Text and style.
 * @param map Flow mapping.
 * @param change What joins.
 */
export function addFlowList(
  target: Target,
  map: YAMLMap,
  { key, add }: Change,
): readonly Edit[] {
  const json = isJson(map);
  const last = map.items.at(-1);
  const name = json ? JSON.stringify(key) : key;
  const span = last && { from: spanOf(last.key).from, to: spanOfPair(last).to };
  const layout = layoutBeside(target, map, span);
  const list = written(add, { json, layout, target });
  return append(target, map, span, [`${name}: ${list}`], layout);
}

/**
 * Writes a list where a key of a flow mapping has nothing.
 *
 * @param target Text and style.
 * @param map Flow mapping with the key.
 * @param pair The key, and `null`.
 * @param change What joins.
 */
export function fillFlowList(
  { text }: Target,
  map: YAMLMap,
  pair: Pair,
  { add }: Change,
): readonly Edit[] {
  const { from, to } = spanOf(pair.value);
  const gap = /\s/.test(text.charAt(from - 1)) ? "" : " ";
  const list = isJson(map) ? jsonText(add, 0) : flowText(add);
  return [{ from, to, text: gap + list }];
}

/**
 * Changes the items of a list. Comments of an item that leaves stay.
 *
 * @param target Text and style.
 * @param list Flow list.
 * @param change What leaves and what joins.
 * @param json True to write JSON.
 */
export function editFlowList(
  target: Target,
  list: YAMLSeq,
  { drop, add }: Change,
  json: boolean,
): readonly Edit[] {
  const spans = list.items.map(spanOf);
  const end = spans.length - 1;
  const last = spans[end];
  const beside = layoutBeside(target, list, last);
  const oneLine = last === undefined ||
    !target.text.slice(last.from, last.to).includes("\n");
  const layout = oneLine ? { ...beside, step: 0 } : beside;
  const texts = add.map((item) => written(item, { json, layout, target }));
  const commas = commasOf(list);
  // Each item but the last has the comma of its place.
  const gone = drop.filter((i) => i < end).flatMap((i) =>
    removal(target, spans[i], commas[i])
  );
  if (last === undefined || !drop.includes(end)) {
    return [...gone, ...append(target, list, last, texts, layout)];
  }
  const { column } = layout;
  const text = commentsOf(target, last) + texts.join(separator(column, target));
  return [...gone, { ...last, text }];
}

function append(
  target: Target,
  collection: YAMLMap | YAMLSeq,
  last: Span | undefined,
  texts: readonly string[],
  { column }: Layout,
): Edit[] {
  const between = separator(column, target);
  const text = texts.join(between);
  const { from, to } = spanOf(collection);
  if (last === undefined) {
    const inside = { from: from + 1, to: to - 1 };
    const blank = target.text.slice(inside.from, inside.to).trim() === "";
    return [{ from: inside.from, to: blank ? inside.to : inside.from, text }];
  }
  const comma = commasOf(collection)[collection.items.length - 1];
  if (column === undefined) {
    return comma === undefined
      ? [{ from: last.to, to: last.to, text: `, ${text}` }]
      : [{ from: comma + 1, to: comma + 1, text: ` ${text}` }];
  }
  // A comment behind the last one stays with it.
  const at = lineEnd(target.text, comma ?? last.to);
  const added = { from: at, to: at, text: between.slice(1) + text };
  return comma === undefined
    ? [{ from: last.to, to: last.to, text: "," }, added]
    : [added];
}

/** New things follow the last one: on lines of their own, or on its line. */
function layoutBeside(
  { text }: Target,
  collection: YAMLMap | YAMLSeq,
  last: Span | undefined,
): Layout {
  if (last === undefined) return { column: undefined, step: 0 };
  const { from, to } = spanOf(collection);
  const start = lineStart(text, last.from);
  const alone = text.slice(start, last.from).trim() === "" &&
    lineEnd(text, last.to) < to;
  if (!alone) return { column: undefined, step: 0 };
  const column = last.from - start;
  const outer = /^ */.exec(text.slice(lineStart(text, from)))?.[0].length ?? 0;
  return { column, step: Math.max(column - outer, 1) };
}

function written(
  value: Value,
  { json, layout, target }: {
    readonly json: boolean;
    readonly layout: Layout;
    readonly target: Target;
  },
): string {
  if (!json) return flowText(value);
  const { column = 0, step } = layout;
  const indent = target.style.eol + " ".repeat(column);
  return jsonText(value, step).replaceAll("\n", indent);
}

function separator(column: number | undefined, { style }: Target): string {
  return column === undefined ? ", " : `,${style.eol}${" ".repeat(column)}`;
}

function removal(
  target: Target,
  span: Span | undefined,
  comma: number | undefined,
): Edit[] {
  if (span === undefined || comma === undefined) return [];
  const { text } = target;
  const gone = { from: span.from, to: comma + 1 };
  const comments = commentsOf(target, gone);
  if (comments !== "") return [{ ...gone, text: comments }];
  const start = lineStart(text, gone.from);
  const end = lineEnd(text, gone.to);
  const alone = (text.slice(start, gone.from) + text.slice(gone.to, end))
    .trim() === "";
  if (alone) return [{ from: start, to: nextLine(text, end), text: "" }];
  const blank = /^ */.exec(text.slice(gone.to, end))?.[0].length ?? 0;
  return [{ from: gone.from, to: gone.to + blank, text: "" }];
}

/** Comments between two places, so that something else can follow them. */
function commentsOf({ text, style }: Target, { from, to }: Span): string {
  const indent = " ".repeat(from - lineStart(text, from));
  return commentsIn(text.slice(from, to))
    .map((comment) => ` ${comment}${style.eol}${indent}`).join("");
}

/** Offsets of the commas between the items, and of the one behind the last. */
function commasOf({ srcToken }: YAMLMap | YAMLSeq): readonly number[] {
  if (srcToken?.type !== "flow-collection") return [];
  return srcToken.items.flatMap(({ start }) => start)
    .flatMap(({ type, offset }) => type === "comma" ? [offset] : []);
}

function spanOfPair({ key, value }: Pair): Span {
  return spanOf(value ?? key);
}

function spanOf(node: unknown): Span {
  // Everything in a parsed document is a node or, where nothing is written, `null`.
  const range = (node as Node | null)?.range;
  return { from: range?.[0] ?? 0, to: range?.[1] ?? 0 };
}
