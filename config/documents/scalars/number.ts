/** Booleans, whole numbers, and file modes. */

import { parseWholeNumber } from "../../tree/implicit_type.ts";
import type { ScalarNode } from "../../tree/node.ts";
import { notA, scalar } from "./shape.ts";
import type { JsonSchema, ScalarReading, ScalarShape } from "../schema.ts";

const truths = new Map([
  ...["true", "True", "TRUE"].map((word) => [word, "true"] as const),
  ...["false", "False", "FALSE"].map((word) => [word, "false"] as const),
]);

// YAML 1.1 booleans. Nodes first read them as texts, so quotes make no difference.
const oldTruths = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"]
    .map((word) => [word, "true"] as const),
  ...["n", "N", "no", "No", "NO", "off", "Off", "OFF"]
    .map((word) => [word, "false"] as const),
]);

/** `true` or `false`; also accepts the other YAML 1.1 spellings. */
export const boolean: ScalarShape = scalar({
  name: "boolean",
  shown: "value",
  expected: "true or false",
  json: { type: "boolean" },
  zero: { text: "false", plain: true },
  read: (node) => {
    const truth = oldTruths.get(node.text) ??
      (node.plain ? truths.get(node.text) : undefined);
    if (truth !== undefined) return { text: truth, plain: true };
    return readQuoted(node, truths.has(node.text)) ?? notA(node, "boolean");
  },
});

/** A whole number from `least` to `most`, in any YAML notation; `1.0` and `1e3` are whole. */
export function integer(least: bigint, most: bigint): ScalarShape {
  return number({
    name: "integer",
    shown: "value",
    expected: `a whole number from ${least} to ${most}`,
    json: { type: "integer", ...bounds(least, most) },
    zero: { text: "0", plain: true },
    range: [least, most],
    written: String,
  });
}

/** Signed, 64 bits. */
export const int: ScalarShape = integer(-(2n ** 63n), 2n ** 63n - 1n);
/** Unsigned, 8 bits. */
export const u8: ScalarShape = integer(0n, 2n ** 8n - 1n);
/** Unsigned, 16 bits. */
export const u16: ScalarShape = integer(0n, 2n ** 16n - 1n);
/** Unsigned, 32 bits. */
export const u32: ScalarShape = integer(0n, 2n ** 32n - 1n);
/** Unsigned, 64 bits. */
export const u64: ScalarShape = integer(0n, 2n ** 64n - 1n);

/** File permissions; a number, written in octal as `0o644`. */
export const fileMode: ScalarShape = number({
  name: "file mode",
  shown: "value",
  expected: "an octal number without quotes, such as 0o644",
  json: { type: "integer", ...bounds(0n, 2n ** 32n - 1n) },
  zero: { text: "0o0", plain: true },
  range: [0n, 2n ** 32n - 1n],
  written: (value) => `0o${value.toString(8)}`,
});

function number(
  given: Omit<ScalarShape, "shape" | "read"> & {
    readonly range: readonly [least: bigint, most: bigint];
    readonly written: (value: bigint) => string;
  },
): ScalarShape {
  const { range: [least, most], written, ...rest } = given;
  return scalar({
    ...rest,
    read: (node): ScalarReading => {
      const value = parseWholeNumber(node.text);
      if (value === undefined) return notA(node, rest.name);
      if (!node.plain) return readQuoted(node, true) ?? notA(node, rest.name);
      if (value < least) return { fault: `${node.text} is less than ${least}` };
      if (value > most) return { fault: `${node.text} is more than ${most}` };
      return { text: written(value), plain: true };
    },
  });
}

function readQuoted(
  node: ScalarNode,
  only: boolean,
): ScalarReading | undefined {
  if (node.plain || !only) return undefined;
  return { fault: `"${node.text}" in quotes is a string` };
}

// Bounds that JSON cannot represent exactly are omitted.
function bounds(least: bigint, most: bigint): JsonSchema {
  return {
    ...(least >= -(2n ** 53n) ? { minimum: Number(least) } : {}),
    ...(most <= 2n ** 53n ? { maximum: Number(most) } : {}),
  };
}
