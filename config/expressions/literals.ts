/** Values that are written out in an expression. */

import { ExpressionMistake } from "./mistake.ts";
import { peek, type Reader, surprise } from "./reader.ts";
import type { Node } from "./syntax.ts";
import type { Token } from "./tokens.ts";

const ranges: Readonly<Partial<Record<Token["kind"], string>>> = {
  int: "Numbers without u go from -9223372036854775808 to 9223372036854775807",
  uint: "Numbers with u go from 0 to 18446744073709551615",
};

/** Tells whether a minus before a token belongs to its value. */
export function isSignable({ kind }: Token): boolean {
  return kind === "int" || kind === "double";
}

/** Reads a value that is written out. Throws `ExpressionMistake` if it is none, or too large. */
export function readLiteral(reader: Reader, sign: "" | "-"): Node {
  const { kind, text, offset } = peek(reader);
  if (
    kind === "name" || kind === "mark" || kind === "quoted" || kind === "end"
  ) throw surprise(reader);
  reader.next++;
  const whole = `${sign}${text}`;
  if (!isInRange(kind, whole)) {
    const message = `Number ${whole} is out of range`;
    throw new ExpressionMistake(message, offset, ranges[kind]);
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
