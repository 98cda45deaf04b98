import { type ScalarTag, stringify } from "yaml";

/**
 * Formats one row as a YAML document.
 *
 * YAML 1.1 and 1.2 parsers read the same values: text that either would read as another type is quoted.
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

/** Words that some parser reads as a boolean, null, a number or a merge key. */
const word = /^(?:y|yes|n|no|on|off|true|false|null|~|[-+]?\.inf|\.nan|=|<<)$/i;

/** Integers and decimals of any base; some parsers ignore `_` and `,` between digits, and need none before `e`. */
const number =
  /^[-+]?(?:0b[01_,]+|0o[0-7_,]+|0x[\da-f_,]+|[\d_,]*\.?[\d_,]*(?:e[-+]?\d+)?)$/i;

/** Base-60 numbers, as in times of day and MAC addresses. */
const sexagesimal = /^[-+]?\d[\d_,]*(?::\d{1,2})+(?:\.[\d_]*)?$/;

const date = /^\d{4}-\d\d?-\d\d?(?:[Tt\s].*)?$/;

/** Document markers, and Ruby symbols. */
const marker = /^(?:---|\.\.\.|:)/;

/** Characters that end a line in YAML 1.1, or must be escaped; not LF and TAB. */
const special = /[^\P{Cc}\t\n]|[\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;

const escaped = /[\p{Cc}\u2028\u2029\ufeff\ufffe\uffff]/gu;

function isMistakable(text: string): boolean {
  return [word, number, sexagesimal, date, marker, special].some((one) =>
    one.test(text)
  );
}

/** The library requires parsing tags; rows are only written. */
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

/** Numbers with an exponent; without a decimal point, YAML 1.1 reads them as text. */
const smallNumber: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  test: never,
  identify: (value) => typeof value === "number" && /\de/.test(String(value)),
  resolve: Number,
  stringify: ({ value }) => String(value).replace(/^(-?\d+)e/, "$1.0e"),
};
