/** Formats trees as YAML in the layout of nodes. */

import type {
  Comments,
  ConfigNode,
  ListNode,
  MapEntry,
  MapNode,
  ScalarNode,
} from "./node.ts";
import {
  chomping,
  inlineScalar,
  type OldWordQuotes,
  type ScalarStyle,
  scalarStyle,
  startsBlank,
} from "./scalar_style.ts";

interface YamlOutput {
  text: string;
  /** True right after a block that keeps trailing empty lines. */
  keeping: boolean;
  /** Quotes for texts that only YAML 1.1 reads as another type. */
  readonly quotes: OldWordQuotes;
}

/** Context before a value: `key:`, a leading `-` or `:`, or the start of a file. */
type Behind = "key" | "item" | "colon" | "nothing";

interface Spot {
  readonly behind: Behind;
  /** Column of the entry with the value, from 0. */
  readonly column: number;
  readonly line: string | undefined;
}

const step = 4;
const longestKey = 128;

// Line ends of some parser, and characters that no parser accepts.
// deno-lint-ignore no-control-regex
const breaking = /[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]/g;

/**
 * Formats a value.
 *
 * Mappings are indented by four, sequences below their key; values are quoted where a parser of
 * YAML 1.1 or 1.2 requires it. Comments keep their place; they never change the parsed value.
 *
 * @param quotes Quotes for texts that only YAML 1.1 reads as another type, such as `off`.
 * @returns YAML that ends with a line break.
 */
export function writeTree(
  node: ConfigNode,
  quotes: OldWordQuotes = "double",
): string {
  const output: YamlOutput = { text: "", keeping: false, quotes };
  writeValue(output, node, { behind: "nothing", column: 0, line: undefined });
  return output.text;
}

/** Formats the documents of one file, with `---` between them. `quotes`: those of {@linkcode writeTree}. */
export function writeDocuments(
  nodes: readonly ConfigNode[],
  quotes?: OldWordQuotes,
): string {
  return nodes.map((node) => writeTree(node, quotes)).join("---\n");
}

function writeValue(output: YamlOutput, node: ConfigNode, spot: Spot): void {
  if (node.kind === "scalar") {
    output.text += scalarText(output, node, spot);
    return;
  }
  const size = node.kind === "map" ? node.entries.length : node.items.length;
  if (size === 0) {
    const empty = node.kind === "map" ? "{}" : "[]";
    output.text += `${gap(spot)}${empty}${lineComment(spot.line)}\n`;
    writeComments(output, node.after, spot.column);
    return;
  }
  writeBlock(output, node, spot);
}

function writeBlock(output: YamlOutput, node: MapNode | ListNode, spot: Spot) {
  const column = blockColumn(spot);
  const broken = spot.behind === "key" || spot.line !== undefined;
  if (broken) output.text += `${lineComment(spot.line)}\n`;
  const used = spot.behind === "nothing" ? 0 : spot.column + 1;
  const lead = " ".repeat(broken ? column : column - used);
  if (node.kind === "map") writeEntries(output, node, column, lead);
  else writeItems(output, node, column, lead);
  writeComments(output, node.after, column);
}

function writeEntries(
  output: YamlOutput,
  { entries }: MapNode,
  column: number,
  lead: string,
): void {
  const margin = " ".repeat(column);
  let start = lead;
  for (const entry of entries) {
    start = writeBefore(output, entry, start, margin);
    output.text += start;
    writeEntry(output, entry, column, margin);
    start = margin;
  }
}

function writeEntry(
  output: YamlOutput,
  { key, value, line }: MapEntry,
  column: number,
  margin: string,
): void {
  output.keeping = false;
  const { quotes } = output;
  const style = scalarStyle(key, { quotes });
  if (style !== "literal" && isSimple(key)) {
    output.text += `${inlineScalar(key, style)}:`;
    writeValue(output, value, { behind: "key", column, line });
    return;
  }
  const node: ScalarNode = { kind: "scalar", text: key, plain: false };
  output.text += "?";
  writeValue(output, node, { behind: "colon", column, line: undefined });
  output.text += `${margin}:`;
  output.keeping = false;
  writeValue(output, value, { behind: "colon", column, line });
}

function writeItems(
  output: YamlOutput,
  { items }: ListNode,
  column: number,
  lead: string,
): void {
  const margin = " ".repeat(column);
  let start = lead;
  for (const item of items) {
    start = writeBefore(output, item, start, margin);
    output.text += `${start}-`;
    output.keeping = false;
    const { line } = item;
    writeValue(output, item.value, { behind: "item", column, line });
    start = margin;
  }
}

// Parsers expect the colon on the same line and within a length limit.
function isSimple(key: string): boolean {
  if (/[\n\r\x85\u2028\u2029]/.test(key)) return false;
  if (key.length * 3 <= longestKey) return true;
  return new TextEncoder().encode(key).length <= longestKey;
}

// Column of the content of a block.
function blockColumn({ behind, column }: Spot): number {
  if (behind === "nothing") return 0;
  if (behind === "item") return column + 2;
  return step * Math.floor((column + step) / step);
}

function scalarText(output: YamlOutput, node: ScalarNode, spot: Spot): string {
  const { text } = node;
  const comment = lineComment(spot.line);
  const style = styleAt(output, node, spot);
  if (style === "literal") return literal(output, text, spot, comment);
  if (style === "plain" && text === "") return `${comment}\n`;
  return `${gap(spot)}${inlineScalar(text, style)}${comment}\n`;
}

// Parsers disagree about the base of indentation at the root.
function styleAt(
  { quotes }: YamlOutput,
  { text, plain }: ScalarNode,
  { behind }: Spot,
): ScalarStyle {
  const style = scalarStyle(text, { plain, quotes });
  const unclear = behind === "nothing" && startsBlank(text);
  return unclear && style === "literal" ? "double" : style;
}

function literal(
  output: YamlOutput,
  text: string,
  spot: Spot,
  comment: string,
): string {
  const column = spot.behind === "nothing" ? step : blockColumn(spot);
  const indent = startsBlank(text) ? column - spot.column : "";
  const end = chomping(text);
  const margin = " ".repeat(column);
  const lines = end === "-" ? text : text.slice(0, -1);
  output.keeping = end === "+";
  const body = lines.replace(/^(?=.)/gm, margin);
  return `${gap(spot)}|${indent}${end}${comment}\n${body}\n`;
}

function gap({ behind }: Spot): string {
  return behind === "nothing" ? "" : " ";
}

function lineComment(text: string | undefined): string {
  return text === undefined ? "" : ` ${comment(text)}`;
}

function comment(text: string): string {
  return text === "" ? "#" : `# ${text.replace(breaking, " ")}`;
}

// Returns the start of the entry after its comments.
function writeBefore(
  output: YamlOutput,
  { before }: Comments,
  start: string,
  margin: string,
): string {
  let lead = start;
  for (const text of before ?? []) {
    if (text !== undefined) {
      output.text += `${lead}${comment(text)}\n`;
      output.keeping = false;
    } else if (lead === margin && !output.keeping) {
      output.text += "\n";
    } else continue;
    lead = margin;
  }
  return lead;
}

function writeComments(
  output: YamlOutput,
  lines: readonly (string | undefined)[] | undefined,
  column: number,
): void {
  if (lines === undefined) return;
  const margin = " ".repeat(column);
  writeBefore(output, { before: lines }, margin, margin);
}
