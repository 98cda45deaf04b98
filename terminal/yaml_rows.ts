import { type ScalarTag, stringify } from "yaml";

/**
 * Writes one row as a YAML document.
 *
 * Readers of YAML 1.1 and 1.2 read the same values from it: text that any of them takes for something else is
 * quoted.
 *
 * @returns The document with its line end, without a separator.
 */
export function yamlDocument(row: unknown): string {
  return stringify(row, {
    indent: 4,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    customTags: (tags) => [quotedText, smallNumber, ...tags],
  });
}

/** Words that some reader takes for a truth value, for nothing, for a number, or for a merge. */
const word = /^(?:y|yes|n|no|on|off|true|false|null|~|[-+]?\.inf|\.nan|=|<<)$/i;

/** Whole and broken numbers of any base; some readers pass over `_` and `,` between digits, and need none before `e`. */
const number =
  /^[-+]?(?:0b[01_,]+|0o[0-7_,]+|0x[\da-f_,]+|[\d_,]*\.?[\d_,]*(?:e[-+]?\d+)?)$/i;

/** Numbers to the base of 60, as in times of day and MAC addresses. */
const sexagesimal = /^[-+]?\d[\d_,]*(?::\d{1,2})+(?:\.[\d_]*)?$/;

const date = /^\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?$/;

/** Marks of a document, and what Ruby takes for a symbol. */
const marker = /^(?:---|\.\.\.|:)/;

/** Characters that end a line in YAML 1.1, or must be escaped; LF and TAB are neither. */
const special = /[^\P{Cc}\t\n]|[\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;

const escaped = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/gu;

function isMistakable(text: string): boolean {
  return [word, number, sexagesimal, date, marker, special].some((one) =>
    one.test(text)
  );
}

/** The library takes tags that also read; rows are only written. */
const never = /(?!)/;

const quotedText: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  test: never,
  identify: (value) => typeof value === "string" && isMistakable(value),
  resolve: (text) => text,
  stringify: ({ value }) =>
    JSON.stringify(value).replace(
      escaped,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
};

/** Numbers with an exponent; without a point, YAML 1.1 takes them for text. */
const smallNumber: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  test: never,
  identify: (value) => typeof value === "number" && /\de/.test(String(value)),
  resolve: Number,
  stringify: ({ value }) => String(value).replace(/^(-?\d+)e/, "$1.0e"),
};
