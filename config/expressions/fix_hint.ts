/** What to write instead of a value of the wrong type. */

import type { CallNode, Literal, Node } from "./syntax.ts";
import { type Type, unwrapped } from "./types.ts";

const numbers = new Set(["int", "uint", "double"]);

/** What the function named like a type makes it of. */
const conversions: Readonly<Record<string, string>> = {
  int: "double duration string timestamp uint dyn",
  uint: "double int string dyn",
  double: "int string uint dyn",
  string: "bool bytes double duration int timestamp uint dyn",
  bool: "dyn",
  bytes: "string dyn",
  duration: "dyn",
  timestamp: "dyn",
};

/**
 * Says how a value gets the type it must have. Returns one sentence without a period; `undefined`
 * if there is no obvious way.
 */
export function fixHint(
  node: Node,
  type: Type,
  wanted: Type,
): string | undefined {
  const { name } = wanted;
  if (type.name === name) return fixHintInside(node, wanted);
  if (unwrapped(type) !== undefined) {
    return "Unwrap the value with orValue(…)";
  }
  const written = node.kind === "literal" ? respelled(node, name) : undefined;
  if (written !== undefined) return `Write ${written}`;
  if (name === "bool" && numbers.has(type.name)) {
    return "Compare it with a number";
  }
  if (name === "bool" && type.name === "string") {
    return "Compare it with a string";
  }
  if (type.name === "bool" && numbers.has(name)) {
    return 'Choose a number with "?" and ":"';
  }
  const number = numbers.has(name) ? numberIn(node) : undefined;
  const example = number && respelled(number, name);
  if (example !== undefined) return `Write its numbers as ${example}`;
  return conversions[name]?.split(" ").includes(type.name)
    ? `Convert it with ${name}(…)`
    : undefined;
}

/** The same for the first element of a list or a map that does not fit. */
function fixHintInside(node: Node, { parts }: Type): string | undefined {
  const wanted = parts[parts.length - 1];
  if (wanted === undefined) return undefined;
  const items = node.kind === "list"
    ? node.elements
    : node.kind === "map"
    ? node.entries
    : [];
  for (const { value } of items) {
    if (value.kind !== "literal" || value.type === wanted.name) continue;
    const written = respelled(value, wanted.name);
    if (written !== undefined) return `Write ${written}`;
  }
  return undefined;
}

/** A literal as one of another type, if it can be one. */
function respelled(
  { type, text }: Literal,
  wanted: string,
): string | undefined {
  if (type === "string") return unquoted(text, wanted);
  if (!numbers.has(type)) return undefined;
  const plain = text.replace(/[uU]$/, "").replace(/\.0+$/, "");
  const whole = /^-?(0x[\da-fA-F]+|\d+)$/.test(plain);
  if (wanted === "string") return `"${text}"`;
  if (wanted === "double") {
    return /^-?\d+$/.test(plain) ? `${plain}.0` : undefined;
  }
  if (!whole) return undefined;
  if (wanted === "int") return plain;
  if (wanted === "duration") return `duration("${plain}s")`;
  return wanted === "uint" && !plain.startsWith("-") ? `${plain}u` : undefined;
}

function unquoted(text: string, wanted: string): string | undefined {
  const inner = /^(["'])(.*)\1$/.exec(text)?.[2] ?? "";
  switch (wanted) {
    case "duration":
    case "timestamp":
      return `${wanted}(${text})`;
    case "bool":
      return /^(true|false)$/.test(inner) ? inner : undefined;
    case "bytes":
      return `b${text}`;
  }
  if (!numbers.has(wanted)) return undefined;
  if (/^\d+(\.\d+)?$/.test(inner)) {
    const type = inner.includes(".") ? "double" : "int";
    return type === wanted
      ? inner
      : respelled({ kind: "literal", type, text: inner, offset: 0 }, wanted);
  }
  const [, count, unit] = /^(\d+) *([kKMGTPE]i?B)$/.exec(inner) ?? [];
  return unit !== undefined && wanted === "uint"
    ? `${count}u * ${unit}`
    : undefined;
}

/** The first number that is written out in a calculation. */
function numberIn(node: Node): Literal | undefined {
  if (node.kind === "literal") return numbers.has(node.type) ? node : undefined;
  if (!isCalculation(node)) return undefined;
  for (const arg of node.args) {
    const found = numberIn(arg);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isCalculation(node: Node): node is CallNode {
  return node.kind === "call" && /^(_[-+*/%]_|-_|_\?_:_)$/.test(node.name);
}
