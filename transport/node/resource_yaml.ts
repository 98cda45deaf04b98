/** Parsing of resource specs: YAML as written by nodes. */

import {
  CORE_SCHEMA,
  defineScalarTag,
  intCoreTag,
  load,
  NOT_RESOLVED,
} from "js-yaml";
import { OsctlError } from "../../errors.ts";
import { computing, longText } from "../../interrupts.ts";

const wholeNumber = defineScalarTag<number | bigint>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return value === NOT_RESOLVED || Number.isSafeInteger(value)
      ? value
      : BigInt(source.replace(/^\+/, ""));
  },
});

/** Binary values remain base64 text. */
const bytes = defineScalarTag<string>("tag:yaml.org,2002:binary", {
  resolve: (source) => source.replace(/\s/g, ""),
  identify: () => false,
});

const schema = CORE_SCHEMA.withTags(wholeNumber, bytes);

/**
 * Parses a spec.
 *
 * @param yaml YAML 1.2, one document; at most 100 levels deep, without aliases.
 * @returns Plain data; integers beyond 2^53 are `bigint`, times are text.
 * @throws {OsctlError} If the YAML is invalid.
 */
export function parseSpec(yaml: string): unknown {
  // An empty spec is sent as empty text.
  if (yaml.trim() === "") return null;
  if (yaml.length > longText) computing();
  try {
    return load(yaml, { schema, maxDepth: 100, maxAliases: 0 });
  } catch (cause) {
    throw new OsctlError("Cannot read a spec: it is not plain YAML", { cause });
  }
}

/** Value of an unquoted YAML scalar. */
export type PlainScalar = string | number | bigint | boolean | null;

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** An integer: hexadecimal, octal, binary or decimal. */
const whole = /^([-+]?)(?:(0x[\da-f]+)|0o?([0-7]+)|(0b[01]+)|(0|[1-9]\d*))$/i;

const fraction = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i;

/**
 * Parses text as an unquoted YAML scalar. `talosctl` does so with all resource metadata: it writes them
 * unquoted, and parses that YAML again before it writes JSON.
 *
 * @returns Integers beyond 2^53 are `bigint`; times remain text.
 */
export function plainScalar(
  text: string,
): PlainScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text)) return text;
  const digits = text.replaceAll("_", "");
  const [, sign, hex, octal, binary, decimal] = whole.exec(digits) ?? [];
  const source = hex ?? binary ?? decimal ?? (octal && `0o${octal}`);
  if (source !== undefined) {
    const value = BigInt(source) * (sign === "-" ? -1n : 1n);
    const isSafe = Number.isSafeInteger(Number(value));
    if (isSafe) return Number(value);
    if (value >= -(2n ** 63n) && value < 2n ** 64n) return value;
  }
  const value = fraction.test(digits) ? Number(digits) : NaN;
  return Number.isFinite(value) ? value : text;
}
