/** Scalar types of configuration documents: parsing, validation and formatting. */

import type { ExpressionEnvironment } from "../../document_cel/environments.ts";
import type { JsonSchema, ScalarShape } from "../schema.ts";
import { notA, scalar, textual } from "./shape.ts";

export { duration } from "./duration.ts";
export {
  address,
  addressPort,
  hardwareAddress,
  portRange,
  prefix,
} from "./network.ts";
export {
  boolean,
  fileMode,
  int,
  integer,
  u16,
  u32,
  u64,
  u8,
} from "./number.ts";
export { byteSize, diskSize, sizeCondition, sizeOrPercent } from "./size.ts";
export { url } from "./url.ts";

interface ChoiceOptions {
  /** True to ignore case; default false. */
  readonly insensitive?: boolean;
  /** Replacement for a missing but required value; default the first word. */
  readonly zero?: string;
}

/** Any text, possibly a secret; numbers and dates are texts too. */
export const string: ScalarShape = textual({
  name: "string",
  expected: "a string",
  json: { type: ["string", "number", "boolean"] },
  canonical: (text) => text,
});

/** A public text: a name, an address, a path, an image. */
export const openText: ScalarShape = { ...string, shown: "value" };

/** `NAME=value`, with a public name. */
export const assignment: ScalarShape = { ...string, shown: "name" };

/** Text of manifests; leading line ends and tabs are ignored. */
export const manifestText: ScalarShape = textual({
  name: "manifest",
  expected: "a string",
  canonical: (text) => text.replace(/^[\t\n\v\f\r]+/, ""),
});

/** One of a set of words, in their canonical spelling. */
export function choice(
  values: readonly string[],
  options: ChoiceOptions = {},
): ScalarShape {
  const { insensitive = false, zero = values[0] ?? "" } = options;
  const fold = (text: string) => insensitive ? text.toLowerCase() : text;
  const known = new Map(values.map((value) => [fold(value), value]));
  const expected = `one of ${values.join(", ")}`;
  return scalar({
    name: "word",
    shown: "value",
    expected,
    values,
    zero: { text: zero, plain: false },
    json: choiceSchema(values, insensitive),
    read: (node) => {
      const text = known.get(fold(node.text));
      return text === undefined
        ? notA(node, "known value")
        : { text, plain: false };
    },
  });
}

/** Any text, with suggested words; checked by rules, not by the parser. */
export function words(values: readonly string[]): ScalarShape {
  const json = choiceSchema(values, false);
  return { ...string, shown: "value", values, json };
}

/** A CEL expression of an environment. */
export function expression(environment: ExpressionEnvironment): ScalarShape {
  return {
    ...string,
    name: "expression",
    shown: "value",
    // `true` is one, with or without quotes.
    json: { type: ["string", "boolean"] },
    expression: environment,
  };
}

// Words that look like numbers are numbers in YAML unless quoted.
function choiceSchema(
  values: readonly string[],
  insensitive: boolean,
): JsonSchema {
  const numbers = values.filter((value) => /^\d+$/.test(value)).map(Number);
  const exact = { enum: [...values, ...numbers] };
  if (!insensitive || !values.some(hasCase)) return exact;
  const pattern = `^(${values.filter(hasCase).map(anyCase).join("|")})$`;
  return { anyOf: [exact, { type: "string", pattern }] };
}

function hasCase(word: string): boolean {
  return word.toLowerCase() !== word.toUpperCase();
}

function anyCase(word: string): string {
  return word.replace(
    /[^0-9-]/g,
    (sign) =>
      hasCase(sign)
        ? `[${sign.toUpperCase()}${sign.toLowerCase()}]`
        : `\\${sign}`,
  );
}

/** Replacement for a removed secret. */
const redacted = "******";

const form = /^[A-Za-z0-9+/]*={0,2}$/;

const json: JsonSchema = { type: "string", contentEncoding: "base64" };

/** Bytes as base64, standard alphabet, padded; line breaks are ignored. */
export const base64: ScalarShape = textual({
  name: "base64 text",
  shown: "value",
  expected: "base64 with padding",
  json,
  hidden: true,
  canonical,
});

/** Secret bytes as base64; asterisks replace a removed value. */
export const secretBase64: ScalarShape = textual({
  name: "base64 text",
  expected: "base64 with padding",
  json,
  hidden: true,
  canonical: (text) => text === redacted ? text : canonical(text),
});

// Bits beyond the last byte become zero.
function canonical(text: string): string | undefined {
  const bare = text.replace(/[\r\n]/g, "");
  if (bare.length % 4 !== 0 || !form.test(bare)) return undefined;
  return Uint8Array.fromBase64(bare).toBase64();
}
