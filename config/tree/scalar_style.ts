/** How the text of a scalar is written: plain, quoted, or as a block of lines. */

import { isOldWord, staysText } from "./implicit_type.ts";

/** Ways to write a scalar. */
export type ScalarStyle = "plain" | "single" | "double" | "literal";

// Not to be shown as they are: control characters, what is beyond the basic
// plane, and line breaks other than LF, which some readers fold and others keep.
const special =
  /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

// What has a meaning in YAML unless it is quoted.
const indicator =
  /^(?:---|\.\.\.|[ #,[\]{}&*!|>'"%@`]|[?-](?: |$))|:(?: |$)| #| $/;

// Anything that is not white space as Unicode has it.
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

/** Quotes of a text that only YAML 1.1 reads as something else, such as `off`. */
export type OldWordQuotes = "single" | "double";

interface ScalarOptions {
  /** True for what is not to be taken for a text, such as a number; default false. */
  readonly plain?: boolean;
  /** Quotes of texts that only YAML 1.1 reads as something else; default `double`. */
  readonly quotes?: OldWordQuotes;
}

/** Chooses how a scalar is written. */
export function scalarStyle(
  text: string,
  { plain = false, quotes = "double" }: ScalarOptions = {},
): ScalarStyle {
  if (text.includes("\n")) return staysLines(text) ? "literal" : "double";
  if (!plain && !staysText(text)) return isOldWord(text) ? quotes : "double";
  if (text.includes("\t") || special.test(text)) return "double";
  return indicator.test(text) ? "single" : "plain";
}

/** Writes a scalar on one line, in any style but `literal`. */
export function inlineScalar(text: string, style: ScalarStyle): string {
  if (style === "plain") return text;
  if (style === "single") return `'${text.replaceAll("'", "''")}'`;
  return `"${escaped(text)}"`;
}

/**
 * Says how the header of a literal block ends it: `|-` without a line break,
 * `|` with one, `|+` with several.
 */
export function chomping(text: string): "" | "-" | "+" {
  if (!text.endsWith("\n")) return "-";
  return text.endsWith("\n\n") ? "+" : "";
}

/**
 * Reports whether the header of a literal block has to say how far it is
 * indented, because its first line does not show it.
 */
export function startsBlank(text: string): boolean {
  return /^[ \t\n]/.test(text);
}

// A block shows its lines as they are; trailing spaces would get lost.
function staysLines(text: string): boolean {
  return ink.test(text) && !special.test(text) && !/ (?:\n|$)/.test(text);
}

function escaped(text: string): string {
  // After a byte order mark at the start every character is escaped.
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
