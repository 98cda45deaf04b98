/** The shapes values can have, as functions and constants for the descriptions of documents. */

import type {
  ExampleValue,
  Field,
  Fields,
  FreeShape,
  ListShape,
  MapShape,
  Shape,
  StructShape,
} from "./schema.ts";
import {
  base64,
  boolean,
  openText,
  secretBase64,
  string,
} from "./scalars/scalars.ts";

interface FieldOptions extends Omit<Field, "shape" | "summary"> {
  /** The only one of its examples. */
  readonly example?: ExampleValue;
}

/** One key of a mapping. */
export function field(
  shape: Shape,
  summary: string,
  { example, ...more }: FieldOptions = {},
): Field {
  if (example === undefined) return { shape, summary, ...more };
  return { shape, summary, ...more, examples: [{ value: example }] };
}

/** `name` where it is part of a document's identity. */
export function nameField(summary: string, example: string): Field {
  return field(openText, summary, { always: true, example });
}

/** A switch for which a written `false` is not the same as nothing; `initial` counts when it is absent. */
export function flag(
  summary: string,
  initial: "true" | "false" = "false",
): Field {
  return { shape: boolean, summary, optional: true, initial };
}

/** A sequence of one shape. */
export function list(of: Shape): ListShape {
  return { shape: "list", of };
}

/** A sequence in which nodes keep elements that are null. */
export function listWithGaps(of: Shape): ListShape {
  return { shape: "list", of, gaps: true };
}

/** Flags of a program: a value, or since 1.13 a list of values for each name. */
export const programFlags: MapShape = {
  shape: "map",
  of: { shape: "list", of: string, loneUntil: "1.13" },
};

/** A mapping from the user's own keys to one shape. */
export function map(of: Shape): MapShape {
  return { shape: "map", of };
}

/** A mapping with known keys. */
export function struct(fields: Fields): StructShape {
  return { shape: "struct", fields };
}

/** A mapping whose meaning belongs to another program. */
export const free: FreeShape = { shape: "free" };

/** The same without anything secret in it. */
export const openFree: FreeShape = { shape: "free", shown: "value" };

const certificate: Field = field(base64, "Certificate, base64-encoded PEM");

const key: Field = field(secretBase64, "Private key, base64-encoded PEM", {
  secret: true,
});

/** `{ crt, key }`, both always written. */
export const certificateAndKey: StructShape = {
  ...struct({
    crt: { ...certificate, always: true },
    key: { ...key, always: true },
  }),
  whole: true,
};

/** `{ crt }`. */
export const certificateOnly: StructShape = struct({
  crt: { ...certificate, always: true },
});

/** `{ key }`. */
export const keyOnly: StructShape = struct({ key: { ...key, always: true } });

/** The field of a key that a user has written; what every object inherits is none. */
export function fieldAt(fields: Fields, key: string): Field | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
