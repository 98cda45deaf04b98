/** Scalar styles: plain, quoted, or literal block. */

import { isOldWord, staysText } from "./implicit_type.ts";

/** Styles of a scalar. */
export type ScalarStyle = "plain" | "single" | "double" | "literal";

// Characters to escape: control characters, those beyond the basic plane,
// and line breaks other than LF, which some parsers fold and others keep.
const special =
  /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

// Characters with a meaning in YAML unless quoted.
const indicator =
  /^(?:---|\.\.\.|[ #,[\]{}&*!|>'"%@`]|[?-](?: |$))|:(?: |$)| #| $/;

// Any character but Unicode white space.
const ink =
  /[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

const escapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\x85": "\\N",
  "\xa0": "\\_",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

/** Quotes for a text that only YAML 1.1 reads as another type, such as `off`. */
export type OldWordQuotes = "single" | "double";

interface ScalarOptions {
  /** True for a value that is not a text, such as a number; default false. */
  readonly plain?: boolean;
  /** Quotes for texts that only YAML 1.1 reads as another type; default `double`. */
  readonly quotes?: OldWordQuotes;
}

/** Selects the style of a scalar. */
export function scalarStyle(
  text: string,
  { plain = false, quotes = "double" }: ScalarOptions = {},
): ScalarStyle {
  if (text.includes("\n")) return staysLines(text) ? "literal" : "double";
  if (!plain && !staysText(text)) return isOldWord(text) ? quotes : "double";
  if (text.includes("\t") || special.test(text)) return "double";
  return indicator.test(text) ? "single" : "plain";
}

/** Formats a scalar on one line, in any style but `literal`. */
export function inlineScalar(text: string, style: ScalarStyle): string {
  if (style === "plain") return text;
  if (style === "single") return `'${text.replaceAll("'", "''")}'`;
  return `"${escapeText(text)}"`;
}

/** Chomping indicator of a literal block: `|-` without a trailing line break, `|` with one, `|+` with several. */
export function chomping(text: string): "" | "-" | "+" {
  if (!text.endsWith("\n")) return "-";
  return text.endsWith("\n\n") ? "+" : "";
}

/** Reports whether a literal block needs an indentation indicator, because its first line does not show it. */
export function startsBlank(text: string): boolean {
  return /^[ \t\n]/.test(text);
}

// A block shows its lines unchanged; trailing spaces would be lost.
function staysLines(text: string): boolean {
  return ink.test(text) && !special.test(text) && !/ (?:\n|$)/.test(text);
}

function escapeText(text: string): string {
  // After a leading byte order mark every character is escaped.
  const pattern = text.startsWith("\ufeff")
    ? /[^]/gu
    : /["\\\t\n]|[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;
  return text.toWellFormed().replace(pattern, escape);
}

function escape(character: string): string {
  const short = escapes[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${digits.padStart(4, "0")}`;
  return `\\U${digits.padStart(8, "0")}`;
}
