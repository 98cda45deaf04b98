/** Cheap size checks before parsing. */

import { computing, longText } from "../../interrupts.ts";
import type { ConfigError } from "../../errors.ts";
import { misread } from "../../lib/text/text_position.ts";

/** Most values in a file, including keys and collections; parsing them takes half a second. */
export const valueLimit = 500_000;

/** Shorter texts cannot exceed the limit. */
const harmless = 1024 * 1024;

/** Refuses an oversized text before it is parsed. Throws `ConfigError` if it contains NUL, or too many values. */
export function checkSize(text: string, file: string): void {
  if (text.length > longText) computing();
  const nul = text.indexOf("\0");
  if (nul >= 0) throw nulAt(text, nul, file);
  if (text.length > harmless && isTooMuch(text)) throw tooMuch(file);
}

/** Error for an oversized text. */
export function tooMuch(file: string): ConfigError {
  return misread(
    file,
    undefined,
    `it contains more than ${
      valueLimit.toLocaleString("en-US")
    } values and comments`,
    "Split the file",
  );
}

function nulAt(text: string, nul: number, file: string): ConfigError {
  const before = text.slice(0, nul).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  const at = { line: before.length, column };
  return misread(file, at, "it contains a NUL character", "Remove it");
}

/**
 * Counts possible starts of values: lines, dashes, commas and brackets, outside of quotes and block scalars. A stray
 * quote hides some, so values are counted again by the parser.
 */
function isTooMuch(text: string): boolean {
  let count = 0;
  let block = Infinity;
  for (let start = 0; start < text.length;) {
    const first = behindSpaces(text, start);
    let end = endOfLine(text, first);
    if (first < end && first - start <= block) {
      const content = behindDashes(text, first);
      const rest = separators(text, content);
      end = rest.end;
      count += 1 + (content - first >> 1) + rest.count;
      if (count > valueLimit) return true;
      block = beginsBlock(text, content, end)
        ? countOuter(text, first, content) - start
        : Infinity;
    }
    start = end + 1;
  }
  return false;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function behindSpaces(text: string, start: number): number {
  let at = start;
  while (text[at] === " ") at++;
  return at;
}

function behindDashes(text: string, first: number): number {
  let at = first;
  while (text[at] === "-" && text[at + 1] === " ") {
    at = behindSpaces(text, at + 1);
  }
  return at;
}

/** Counts commas and brackets up to the end of the line with the last closing quote. */
function separators(
  text: string,
  start: number,
): { readonly count: number; readonly end: number } {
  if (text[start] === "#") return { count: 0, end: endOfLine(text, start) };
  let count = 0;
  let fresh = true;
  let at = start;
  for (; at < text.length && text[at] !== "\n"; at++) {
    const character = text[at];
    if (character === " ") continue;
    if (fresh && (character === '"' || character === "'")) {
      at = closingQuote(text, at, character);
    }
    const separates = character === "," || character === "[" ||
      character === "{";
    if (separates) count++;
    fresh = separates || character === ":";
  }
  return { count, end: at };
}

function closingQuote(text: string, open: number, quote: string): number {
  let at = text.indexOf(quote, open + 1);
  while (at >= 0) {
    const isDoubled = quote === "'" && text[at + 1] === quote;
    if (!isDoubled && !(quote === '"' && isEscaped(text, at))) return at;
    at = text.indexOf(quote, at + (isDoubled ? 2 : 1));
  }
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

/** Reports whether a line ends with the header of a block scalar. */
function beginsBlock(text: string, content: number, end: number): boolean {
  // A header is short, so the start of a long line is not searched.
  const tail = text.slice(Math.max(content, end - 80), end);
  return /(?:^|\s)[|>][0-9+-]{0,2}\s*(?:\s#.*)?$/.test(tail);
}

/** Offset of the key or dash that the block scalar is indented against. */
function countOuter(text: string, first: number, content: number): number {
  const keyed = !/[|>&!]/.test(text.charAt(content));
  return keyed || content === first ? content : text.lastIndexOf("-", content);
}
