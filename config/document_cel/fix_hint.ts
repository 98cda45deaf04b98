import type { Literal, Node } from "./syntax.ts";
import { type Type, unwrapOptional } from "./types.ts";

const numbers = new Set(["int", "uint", "double"]);

/** Conversion functions that keep the meaning of a value. */
const conversions: Readonly<Record<string, string>> = {
  int: "double uint dyn",
  uint: "double int dyn",
  double: "int uint dyn",
  string: "dyn",
  bool: "dyn",
  duration: "string dyn",
  timestamp: "string dyn",
};

/** Suggests a conversion to the required type. Returns one sentence without a period, if there is an obvious fix. */
export function fixHint(
  node: Node,
  type: Type,
  { name }: Type,
): string | undefined {
  if (type.name === name) return undefined;
  if (unwrapOptional(type) !== undefined) {
    return "Unwrap the value with orValue(…)";
  }
  if (name === "bool" && (numbers.has(type.name) || type.name === "string")) {
    return "Compare it with a value";
  }
  const written = node.kind === "literal" ? rewrite(node, name) : undefined;
  if (written !== undefined) return `Write ${written}`;
  return conversions[name]?.split(" ").includes(type.name)
    ? `Convert it with ${name}(…)`
    : undefined;
}

/** A number literal of another type, if possible. */
function rewrite({ type, text }: Literal, wanted: string): string | undefined {
  if (!numbers.has(type)) return undefined;
  const plain = text.replace(/[uU]$/, "").replace(/\.0+$/, "");
  if (wanted === "double" && /^-?\d+$/.test(plain)) return `${plain}.0`;
  if (!/^-?(0x[\da-fA-F]+|\d+)$/.test(plain)) return undefined;
  if (wanted === "int") return plain;
  return wanted === "uint" && !plain.startsWith("-") ? `${plain}u` : undefined;
}
