/** Expression parser: the CEL grammar, from tokens to a tree. */

import { unfold } from "./macros.ts";
import {
  accept,
  acceptOptional,
  type Dialect,
  expect,
  isMark,
  peek,
  surprise,
  type TokenReader,
} from "./reader.ts";
import {
  ExpressionError,
  type ListElement,
  type MapElement,
  type Node,
} from "./syntax.ts";
import { type Token, tokenize } from "./tokens.ts";

const deepest = 250;

const reserved = new Set(
  ("as break const continue else for function if import let loop package " +
    "namespace return var void while").split(" "),
);

const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);

const sums = new Set(["+", "-"]);

const products = new Set(["*", "/", "%"]);

/**
 * Parses an expression.
 *
 * @param dialect Supported syntax of the environment.
 * @returns Syntax tree with expanded macros.
 * @throws {ExpressionError} If it is not well-formed.
 */
export function parseExpression(text: string, dialect: Dialect): Node {
  const tokens = tokenize(text);
  if (tokens.length === 1) {
    throw new ExpressionError("Expression is empty", 0);
  }
  const reader: TokenReader = { ...dialect, tokens, next: 0, depth: 0 };
  const node = expression(reader);
  if (peek(reader).kind !== "end") throw surprise(reader);
  return node;
}

function expression(reader: TokenReader): Node {
  if (++reader.depth > deepest) {
    const message = `Expression is nested deeper than ${deepest} levels`;
    throw new ExpressionError(message, peek(reader).offset);
  }
  const condition = disjunction(reader);
  const mark = accept(reader, "?");
  let node = condition;
  if (mark !== undefined) {
    // A nested conditional needs parentheses, unlike in most languages.
    const then = disjunction(reader);
    expect(reader, ":");
    const args = [condition, then, expression(reader)];
    node = { kind: "call", name: "_?_:_", args, offset: mark.offset };
  }
  reader.depth--;
  return node;
}

function disjunction(reader: TokenReader): Node {
  return inARow(reader, "||", conjunction);
}

function conjunction(reader: TokenReader): Node {
  return inARow(reader, "&&", relation);
}

function inARow(
  reader: TokenReader,
  mark: "&&" | "||",
  operand: (reader: TokenReader) => Node,
): Node {
  const first = operand(reader);
  const args = [first];
  const { offset } = peek(reader);
  while (accept(reader, mark)) args.push(operand(reader));
  if (args.length === 1) return first;
  return { kind: "call", name: `_${mark}_`, args, offset };
}

/** All comparisons have the same precedence: `a == b < c` is `(a == b) < c`. */
function relation(reader: TokenReader): Node {
  return fromTheLeft(reader, relations, sum);
}

function sum(reader: TokenReader): Node {
  return fromTheLeft(reader, sums, product);
}

function product(reader: TokenReader): Node {
  return fromTheLeft(reader, products, unary);
}

function fromTheLeft(
  reader: TokenReader,
  marks: ReadonlySet<string>,
  operand: (reader: TokenReader) => Node,
): Node {
  let left = operand(reader);
  for (;;) {
    const { kind, text, offset } = peek(reader);
    if (kind !== "mark" || !marks.has(text)) return left;
    reader.next++;
    const name = text === "in" ? text : `_${text}_`;
    left = { kind: "call", name, args: [left, operand(reader)], offset };
  }
}

function unary(reader: TokenReader): Node {
  const { text, kind, offset } = peek(reader);
  if (kind !== "mark" || text !== "!" && text !== "-") return member(reader);
  if (text === "-" && isSignable(peek(reader, 1))) return member(reader);
  let count = 0;
  while (accept(reader, text)) count++;
  const operand = member(reader);
  if (count % 2 === 0) return operand;
  return { kind: "call", name: `${text}_`, args: [operand], offset };
}

function member(reader: TokenReader): Node {
  let node = primary(reader);
  for (;;) {
    if (accept(reader, ".")) node = selection(reader, node);
    else if (isMark(peek(reader), "[")) node = indexing(reader, node);
    else return node;
  }
}

function selection(reader: TokenReader, operand: Node): Node {
  const optional = acceptOptional(reader);
  const { kind, text: field, offset } = peek(reader);
  if (kind !== "name" && kind !== "quoted") throw surprise(reader);
  reader.next++;
  if (!optional && kind === "name" && isMark(peek(reader), "(")) {
    const args = callArguments(reader);
    const call = { name: field, target: operand, args, offset };
    return unfold({ kind: "call", ...call }, reader.macros);
  }
  const style = optional ? "optional" : "plain";
  return { kind: "select", operand, field, style, offset };
}

function indexing(reader: TokenReader, operand: Node): Node {
  const { offset } = expect(reader, "[");
  const name = acceptOptional(reader) ? "_[?_]" : "_[_]";
  const args = [operand, expression(reader)];
  expect(reader, "]");
  return { kind: "call", name, args, offset };
}

function primary(reader: TokenReader): Node {
  const token = peek(reader);
  const { kind, offset } = token;
  if (kind === "mark") {
    if (accept(reader, "(")) {
      const node = expression(reader);
      expect(reader, ")");
      return node;
    }
    if (accept(reader, "[")) {
      const elements = parseList(reader, "]", element);
      return { kind: "list", elements, offset };
    }
    if (accept(reader, "{")) {
      return { kind: "map", entries: parseList(reader, "}", entry), offset };
    }
    if (token.text === ".") return parseName(reader);
    if (token.text === "-" && isSignable(peek(reader, 1))) {
      reader.next++;
      return readLiteral(reader, "-");
    }
    throw surprise(reader);
  }
  if (kind === "name") return parseName(reader);
  return readLiteral(reader, "");
}

function parseName(reader: TokenReader): Node {
  const dot = accept(reader, ".")?.text ?? "";
  const { kind, text, offset } = peek(reader);
  if (kind !== "name") throw surprise(reader);
  const record = recordName(reader);
  if (record !== undefined) {
    const values = parseList(reader, "}", recordField);
    return { kind: "record", name: record, values, offset };
  }
  if (reserved.has(text)) {
    throw new ExpressionError(`"${text}" is a reserved word`, offset);
  }
  reader.next++;
  const name = `${dot}${text}`;
  if (!isMark(peek(reader), "(")) return { kind: "name", name, offset };
  const args = callArguments(reader);
  return unfold({ kind: "call", name, args, offset }, reader.macros);
}

/** Dotted name before a brace: the start of a record. */
function recordName(reader: TokenReader): string | undefined {
  let ahead = 1;
  while (
    isMark(peek(reader, ahead), ".") && peek(reader, ahead + 1).kind === "name"
  ) ahead += 2;
  if (!isMark(peek(reader, ahead), "{")) return undefined;
  const from = reader.next;
  reader.next += ahead + 1;
  return reader.tokens.slice(from, from + ahead).map(({ text }) => text)
    .join("");
}

function recordField(reader: TokenReader): Node {
  acceptOptional(reader);
  const { kind } = peek(reader);
  if (kind !== "name" && kind !== "quoted") throw surprise(reader);
  reader.next++;
  expect(reader, ":");
  return expression(reader);
}

function callArguments(reader: TokenReader): readonly Node[] {
  expect(reader, "(");
  if (accept(reader, ")")) return [];
  const args = [expression(reader)];
  while (accept(reader, ",")) args.push(expression(reader));
  expect(reader, ")");
  return args;
}

/** Elements up to a bracket; a trailing comma is allowed, even in an empty list. */
function parseList<T>(
  reader: TokenReader,
  close: "]" | "}",
  item: (reader: TokenReader) => T,
): readonly T[] {
  const items: T[] = [];
  while (!isMark(peek(reader), close) && !isMark(peek(reader), ",")) {
    items.push(item(reader));
    if (!isMark(peek(reader), ",") || isMark(peek(reader, 1), close)) break;
    reader.next++;
    if (isMark(peek(reader), ",")) throw surprise(reader);
  }
  accept(reader, ",");
  expect(reader, close);
  return items;
}

function element(reader: TokenReader): ListElement {
  const optional = acceptOptional(reader);
  return { value: expression(reader), optional };
}

function entry(reader: TokenReader): MapElement {
  const optional = acceptOptional(reader);
  const key = expression(reader);
  expect(reader, ":");
  return { key, value: expression(reader), optional };
}

const ranges: Readonly<Partial<Record<Token["kind"], string>>> = {
  int:
    "Numbers without u range from -9223372036854775808 to 9223372036854775807",
  uint: "Numbers with u range from 0 to 18446744073709551615",
};

/** Reports whether a minus before a token is part of the literal. */
function isSignable({ kind }: Token): boolean {
  return kind === "int" || kind === "double";
}

/** Parses a literal. Throws `ExpressionError` if it is invalid or out of range. */
function readLiteral(reader: TokenReader, sign: "" | "-"): Node {
  const { kind, text, offset } = peek(reader);
  if (
    kind === "name" || kind === "mark" || kind === "quoted" || kind === "end"
  ) throw surprise(reader);
  reader.next++;
  const whole = `${sign}${text}`;
  if (!isInRange(kind, whole)) {
    const message = `Number ${whole} is out of range`;
    throw new ExpressionError(message, offset, ranges[kind]);
  }
  return { kind: "literal", type: kind, text: whole, offset };
}

function isInRange(kind: Token["kind"], text: string): boolean {
  if (kind === "double") return Number.isFinite(Number(text));
  if (kind !== "int" && kind !== "uint") return true;
  const value = BigInt(text.replace(/^-/, "").replace(/[uU]$/, ""));
  if (kind === "uint") return value < 1n << 64n;
  return value < (1n << 63n) + (text.startsWith("-") ? 1n : 0n);
}
