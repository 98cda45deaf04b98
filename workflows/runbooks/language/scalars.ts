import { parseNanoseconds } from "../../../config/documents/scalars/duration.ts";
import type { JsonSchema } from "../../../config/documents/schema.ts";
import type { ScalarNode } from "../../../config/tree/node.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { ConfigError } from "../../../errors.ts";
import { opening } from "../../runbook_cel/template_text.ts";
import type { LanguageScalar } from "./shape.ts";

const longest = 60;

/** Any text; numbers and booleans are accepted as written. */
export const text: LanguageScalar = scalar("a string", {
  type: ["string", "number", "boolean"],
});

/** A boolean. */
export const truth: LanguageScalar = scalar(
  "true or false",
  { type: "boolean" },
  (node) =>
    typeof coreValue(node) === "boolean"
      ? undefined
      : `${quote(node)} is neither true nor false`,
);

/** A positive integer. */
export const count: LanguageScalar = scalar(
  "a whole number from 1",
  { type: "integer", minimum: 1 },
  (node) => {
    const value = coreValue(node);
    return Number.isInteger(value) && Number(value) >= 1
      ? undefined
      : `${quote(node)} is not a whole number from 1`;
  },
);

/** Backoff factor. */
export const factor: LanguageScalar = scalar(
  "a number from 1",
  { type: "number", minimum: 1 },
  (node) => {
    const value = coreValue(node);
    return typeof value === "number" && value >= 1
      ? undefined
      : `${quote(node)} is not a number from 1`;
  },
);

const durationPattern =
  "^(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|[u\u00b5\u03bc]s|ms|s|m|h))+)$";

/** A duration. */
export const duration: LanguageScalar = scalar(
  "a duration such as 90s or 1h30m",
  { type: "string", pattern: durationPattern },
  durationFault,
);

/** A duration, or an expression. */
export const durationOrTemplate: LanguageScalar = orTemplate(duration);

/** A number or percentage of nodes. */
export const countOrPercent: LanguageScalar = scalar(
  "a number such as 2, or a percentage such as 25%",
  {
    anyOf: [
      { type: "integer", minimum: 0 },
      { type: "string", pattern: "^([0-9]|[1-9][0-9]|100)%$" },
    ],
  },
  (node) =>
    parseCountOrPercent(coreValue(node)) === undefined
      ? `${quote(node)} is neither a number of nodes nor a percentage`
      : undefined,
);

/** A number or percentage of nodes, or an expression. */
export const countOrTemplate: LanguageScalar = orTemplate(countOrPercent);

/** A condition, without `${{ }}`. */
export const expression: LanguageScalar = scalar(
  "a condition such as node.role == 'worker'",
  { type: ["string", "boolean"] },
  (node) => {
    if (node.text.trim() === "") return "An empty condition";
    return node.text.includes(opening)
      ? `Conditions are written without "\${{ }}": ${quote(node)}`
      : undefined;
  },
);

/** Text that matches a pattern. */
export function matching(expected: string, pattern: RegExp): LanguageScalar {
  return scalar(
    expected,
    { type: "string", pattern: pattern.source },
    (node) =>
      pattern.test(node.text)
        ? undefined
        : `${quote(node)} is not ${expected.replace(/ such as.*$/, "")}`,
  );
}

/** Text that a parser accepts; the messages of its `ConfigError`s are the errors. */
export function parsed(
  expected: string,
  json: JsonSchema,
  parse: (text: string) => unknown,
): LanguageScalar {
  return scalar(expected, json, ({ text }) => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
  });
}

/** One of a fixed set of words. */
export function oneOf(words: readonly string[]): LanguageScalar {
  return {
    ...scalar(
      `one of ${words.join(", ")}`,
      { enum: words },
      (node) =>
        words.includes(node.text)
          ? undefined
          : `${quote(node)} is not one of the allowed values`,
    ),
    words,
  };
}

/** Makes a scalar; `fault` returns its errors. */
export function scalar(
  expected: string,
  json: JsonSchema,
  fault: LanguageScalar["fault"] = () => undefined,
): LanguageScalar {
  return { shape: "scalar", expected, json, fault };
}

/**
 * Parses a count or percentage.
 *
 * @returns The number, and whether it is a percentage; `undefined` for anything else.
 */
export function parseCountOrPercent(
  value: unknown,
): { readonly number: number; readonly percent: boolean } | undefined {
  if (typeof value === "number") {
    return Number.isInteger(value) && value >= 0
      ? { number: value, percent: false }
      : undefined;
  }
  const [, digits] = typeof value === "string"
    ? /^(\d{1,3})%$/.exec(value) ?? []
    : [];
  if (digits === undefined || Number(digits) > 100) return undefined;
  return { number: Number(digits), percent: true };
}

/** Formats a scalar for a message; long ones are truncated. */
export function quote({ text }: Pick<ScalarNode, "text">): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return JSON.stringify(short);
}

function durationFault(node: ScalarNode): string | undefined {
  const value = parseNanoseconds(node.text);
  if (value === undefined) {
    return typeof coreValue(node) === "number"
      ? `${node.text} has no unit`
      : `${quote(node)} is not a duration`;
  }
  return value < 0n ? `${quote(node)} is negative` : undefined;
}

function orTemplate(shape: LanguageScalar): LanguageScalar {
  const template = { type: "string", pattern: "\\$\\{\\{" };
  return {
    ...shape,
    json: { anyOf: [shape.json, template] },
    fault: (node) =>
      node.text.includes(opening) ? undefined : shape.fault(node),
  };
}
