/** Scalars of configuration documents: how each is read, checked and written. */

import type { ScalarNode } from "../tree/node.ts";
import type { Reading, ScalarShape } from "./schema.ts";

const emptyText = { text: "", plain: false } as const;

/** Any text. */
export const string: ScalarShape = scalar({
  name: "string",
  expected: "a text",
  json: { type: "string" },
  read: ({ text }) => ({ text, plain: false }),
});

/** `true` or `false`; other words YAML 1.1 has for them are read. */
export const boolean: ScalarShape = scalar({
  name: "boolean",
  expected: "true or false",
  json: { type: "boolean" },
  zero: { text: "false", plain: true },
  read: ({ text }) => ({ text, plain: true }),
});

/** A whole number from `least` to `most`. */
export function integer(least: bigint, most: bigint): ScalarShape {
  return scalar({
    name: "integer",
    expected: `a whole number from ${least} to ${most}`,
    json: { type: "integer" },
    zero: { text: "0", plain: true },
    read: ({ text }) => ({ text, plain: true }),
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

/** A length of time, `1h30m`. */
export const duration: ScalarShape = plainText("duration");
/** Bytes as base64. */
export const base64: ScalarShape = plainText("base64 text");
/** A URL. */
export const url: ScalarShape = plainText("URL");
/** A size for people, `10GiB`, or a number of bytes. */
export const byteSize: ScalarShape = plainText("size");
/** A size in bytes, written for people (`100 GB`) when it is a multiple of 1000 that this text gives back. */
export const diskSize: ScalarShape = plainText("size");
/** Text of manifests; line ends and tabs in front of it do not count. */
export const manifestText: ScalarShape = scalar({
  name: "manifest",
  expected: "a text",
  json: { type: "string" },
  read: ({ text }) => ({
    text: text.replace(/^[\t\n\v\f\r]+/, ""),
    plain: false,
  }),
});
/** A size, or a share in percent. */
export const sizeOrPercent: ScalarShape = plainText("size or percentage");
/** A hardware address. */
export const hardwareAddress: ScalarShape = plainText("hardware address");
/** An IP address. */
export const address: ScalarShape = plainText("IP address");
/** An IP address with a prefix length. */
export const prefix: ScalarShape = plainText("CIDR");
/** An IP address and a port. */
export const addressPort: ScalarShape = plainText("address and port");
/** A port, or the first and the last of a range. */
export const portRange: ScalarShape = plainText("port or range of ports");
/** Permissions of a file, octal. */
export const fileMode: ScalarShape = plainText("file mode");

/** One of some words; `insensitive` ones may be written in any case. */
export function choice(
  values: readonly string[],
  options: { readonly insensitive?: boolean } = {},
): ScalarShape {
  void options;
  return { ...plainText("word"), values };
}

/** Any text, of which some words make sense; rules look at them, reading does not. */
export function words(values: readonly string[]): ScalarShape {
  return { ...string, values };
}

/** A CEL expression of an environment. */
export function expression(environment: string): ScalarShape {
  return { ...plainText("expression"), expression: environment };
}

function plainText(name: string): ScalarShape {
  return scalar({
    name,
    expected: `a ${name}`,
    json: { type: "string" },
    read: ({ text }) => ({ text, plain: false }),
  });
}

function scalar(
  given: Omit<ScalarShape, "shape" | "zero" | "read"> & {
    readonly zero?: ScalarShape["zero"];
    readonly read: (scalar: ScalarNode) => Reading;
  },
): ScalarShape {
  return { shape: "scalar", zero: emptyText, ...given };
}
