/** Sizes in bytes, as numbers or human-readable texts. */

import { notA, scalar, textual } from "./shape.ts";
import type { JsonSchema, ScalarShape, Written } from "../schema.ts";

const names = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

const factors = new Map<string, number>([
  ["", 1],
  ["b", 1],
  ...["k", "m", "g", "t", "p", "e"].flatMap((letter, index) => [
    [letter, 1000 ** (index + 1)] as const,
    [`${letter}b`, 1000 ** (index + 1)] as const,
    [`${letter}i`, 1024 ** (index + 1)] as const,
    [`${letter}ib`, 1024 ** (index + 1)] as const,
  ]),
]);

const sizePattern = "[0-9.,]+\\s*([KkMmGgTtPpEe][Ii]?)?[Bb]?\\s*";

/** A human-readable size, `10GiB`, or a number of bytes; written as read. */
export const byteSize: ScalarShape = textual({
  name: "size",
  shown: "value",
  expected: "a size such as 10GiB, 500MB or a number of bytes",
  json: sizeSchema(`^-?(${sizePattern})?$`),
  canonical: (text) => isSigned(text, isSize) ? text : undefined,
});

/** A size, or a percentage; written as read. */
export const sizeOrPercent: ScalarShape = textual({
  name: "size or percentage",
  shown: "value",
  expected: "a size such as 10GiB, or a percentage from 0% to 100%",
  json: sizeSchema(
    `^-?(${sizePattern}|\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([Ee][-+]?[0-9]+)?%)?$`,
  ),
  canonical: (text) =>
    isSigned(text, (size) => isSize(size) || isPercentage(size))
      ? text
      : undefined,
});

/** A negative size is the space left free; the empty text means none. */
function isSigned(text: string, check: (size: string) => boolean): boolean {
  return text === "" || check(text.replace(/^-/, ""));
}

/** A size in bytes, written in human-readable form (`100 GB`) if that is exact. */
export const diskSize: ScalarShape = scalar({
  name: "size",
  shown: "value",
  expected: "a size such as 100GB or a number of bytes",
  json: sizeSchema(`^${sizePattern}$`),
  zero: { text: "0 B", plain: false },
  read: (node) => {
    const size = parseSize(node.text);
    return size === undefined ? notA(node, "size") : diskSizeWritten(size);
  },
});

/** A size condition: a size after `==`, `>=`, `<=`, `>`, `<` or nothing. */
export const sizeCondition: ScalarShape = textual({
  name: "condition on a size",
  shown: "value",
  expected: "a size after one of == >= <= > <, such as >= 100GB",
  json: sizeSchema(`^\\s*(==|>=|<=|>|<)?\\s*${sizePattern}$`),
  canonical: (text) => {
    const condition = text.trim();
    const size = condition.replace(/^(?:==|>=|<=|>|<)/, "").trim();
    return isSize(size) && !size.includes("\n") ? condition : undefined;
  },
});

/**
 * Parses a size.
 *
 * @param text Number and unit in any case, `1.5 GiB`; commas are ignored.
 * @returns Whole bytes; `undefined` if it is invalid or exceeds 64 bits.
 */
export function parseSize(text: string): bigint | undefined {
  const [, digits = "", unit = ""] = /^([0-9.,]*)(.*)$/s.exec(text) ?? [];
  const number = digits.replaceAll(",", "");
  const factor = factors.get(unit.trim().toLowerCase());
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(number) || factor === undefined) {
    return undefined;
  }
  const size = Number(number) * factor;
  return size < 2 ** 64 ? BigInt(Math.trunc(size)) : undefined;
}

function isSize(text: string): boolean {
  return parseSize(text) !== undefined;
}

function isPercentage(text: string): boolean {
  const number = text.slice(0, -1);
  return text.endsWith("%") && Number(number) <= 100 &&
    /^\+?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(number);
}

function diskSizeWritten(size: bigint): Written {
  const text = forPeople(Number(size));
  return size % 1000n === 0n && parseSize(text) === size
    ? { text, plain: false }
    : { text: String(size), plain: true };
}

function forPeople(size: number): string {
  if (size < 10) return `${size} B`;
  const power = Math.floor(Math.log(size) / Math.log(1000));
  const count = Math.floor(size / 1000 ** power * 10 + 0.5) / 10;
  return `${count.toFixed(count < 10 ? 1 : 0)} ${names[power] ?? ""}`;
}

function sizeSchema(pattern: string): JsonSchema {
  return {
    anyOf: [{ type: "string", pattern }, { type: "integer", minimum: 0 }],
  };
}
