/**
 * Parser for the subset of YAML that client configurations use.
 *
 * Loading a complete YAML library would take longer than a whole call to a node. This parser accepts block mappings,
 * block sequences of scalars, single-line scalars, `[]`, `{}` and comments, and declines everything else.
 */

import type { YamlEntry, YamlList, YamlTree } from "./yaml_tree.ts";
import type { Position } from "../../lib/text/text_position.ts";

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

interface LineReader {
  readonly lines: readonly Line[];
  next: number;
}

const foreign = /[^\n\r -~\u00a1-\u1fff\u2c00-\ud7ff]|\r(?!\n)/;
const keyed = /^([A-Za-z0-9_./][A-Za-z0-9_./@+-]{0,999}):(?: +|$)/;
const dashed = /^-(?: +|$)/;
const plainStart = /^[A-Za-z0-9_./+~]/;
const nothing = new Set(["~", "null", "Null", "NULL"]);
const deepest = 16;

/**
 * Parses a text in the supported subset. Returns the same tree as the complete parser;
 * `undefined` for any text that is, or might be, outside of the subset, or invalid.
 */
export function parsePlainYaml(source: string): YamlTree | undefined {
  const lines = contentLines(source);
  if (lines === undefined) return undefined;
  if (lines.length === 0) return { kind: "null" };
  const reader: LineReader = { lines, next: 0 };
  const tree = readMap(reader, 0, 0);
  // A continuation line of a scalar, or one with unexpected indentation, was not consumed.
  return reader.next === lines.length ? tree : undefined;
}

function contentLines(source: string): Line[] | undefined {
  if (foreign.test(source)) return undefined;
  const lines: Line[] = [];
  for (const [index, raw] of source.split("\n").entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    let indent = 0;
    while (line[indent] === " ") indent++;
    const text = line.slice(indent, trimmedLength(line));
    if (text === "" || text.startsWith("#")) continue;
    lines.push({ indent, text, number: index + 1 });
  }
  return lines;
}

// A pattern anchored at the end takes quadratic time on a run of spaces,
// and `trimEnd` removes more kinds of space than YAML has.
function trimmedLength(text: string): number {
  let length = text.length;
  while (length > 0 && text[length - 1] === " ") length--;
  return length;
}

function readMap(
  reader: LineReader,
  indent: number,
  depth: number,
): YamlTree | undefined {
  if (depth > deepest) return undefined;
  const entries: YamlEntry[] = [];
  const seen = new Set<string>();
  let line = reader.lines[reader.next];
  for (; line?.indent === indent; line = reader.lines[reader.next]) {
    const match = keyed.exec(line.text);
    const key = match?.[1];
    if (match === null || key === undefined || seen.has(key)) return undefined;
    seen.add(key);
    reader.next++;
    const rest = line.text.slice(match[0].length);
    const value = isBlank(rest)
      ? readBlock(reader, indent, depth)
      : readScalar(rest, toPosition(line, match[0].length));
    if (value === undefined) return undefined;
    entries.push({ key, at: toPosition(line, 0), value });
  }
  return { kind: "map", entries };
}

function readBlock(
  reader: LineReader,
  indent: number,
  depth: number,
): YamlTree | undefined {
  const line = reader.lines[reader.next];
  if (line === undefined || line.indent < indent) return { kind: "null" };
  if (dashed.test(line.text)) return readList(reader, line.indent);
  return line.indent === indent
    ? { kind: "null" }
    : readMap(reader, line.indent, depth + 1);
}

function readList(reader: LineReader, indent: number): YamlList | undefined {
  const items: YamlTree[] = [];
  let line = reader.lines[reader.next];
  for (; line?.indent === indent; line = reader.lines[reader.next]) {
    const mark = dashed.exec(line.text)?.[0].length;
    if (mark === undefined) break;
    const rest = line.text.slice(mark);
    // Mappings and sequences inside a sequence are not scalars either.
    const item = isBlank(rest)
      ? undefined
      : readScalar(rest, toPosition(line, mark));
    if (item === undefined) return undefined;
    items.push(item);
    reader.next++;
  }
  return { kind: "list", items };
}

function readScalar(text: string, at: Position): YamlTree | undefined {
  if (text.startsWith("'") || text.startsWith('"')) return readQuoted(text, at);
  if (text.startsWith("[]") && endsAt(text, 2)) {
    return { kind: "list", items: [] };
  }
  if (text.startsWith("{}") && endsAt(text, 2)) {
    return { kind: "map", entries: [] };
  }
  return readPlain(text, at);
}

function readQuoted(text: string, at: Position): YamlTree | undefined {
  const quote = text.charAt(0);
  const end = text.indexOf(quote, 1);
  const value = text.slice(1, end);
  if (end < 0 || !endsAt(text, end + 1)) return undefined;
  if (quote === '"' && value.includes("\\")) return undefined;
  return { kind: "text", value, plain: false, at };
}

function readPlain(text: string, at: Position): YamlTree | undefined {
  if (!plainStart.test(text)) return undefined;
  const comment = text.indexOf(" #");
  const cut = comment < 0 ? text : text.slice(0, comment);
  const value = cut.slice(0, trimmedLength(cut));
  if (value.includes(": ") || value.endsWith(":")) return undefined;
  if (nothing.has(value)) return { kind: "null" };
  return { kind: "text", value, plain: true, at };
}

function endsAt(text: string, length: number): boolean {
  return text.length === length || /^ +#/.test(text.slice(length));
}

function isBlank(text: string): boolean {
  return text === "" || text.startsWith("#");
}

function toPosition({ number, indent }: Line, offset: number): Position {
  return { line: number, column: indent + offset + 1 };
}
