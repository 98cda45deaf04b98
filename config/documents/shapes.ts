/** Shape constructors and constants for document descriptions. */

import type {
  Field,
  Fields,
  FreeShape,
  ListShape,
  MapShape,
  Shape,
  StructShape,
} from "./schema.ts";
import { base64, secretBase64, string } from "./scalars/scalars.ts";

/** A sequence of one shape. */
export function list(of: Shape): ListShape {
  return { shape: "list", of };
}

/** A sequence that keeps null elements, as on nodes. */
export function listWithGaps(of: Shape): ListShape {
  return { shape: "list", of, gaps: true };
}

/** Flags of a program: a value, or since 1.13 a list of values for each name. */
export const programFlags: MapShape = {
  shape: "map",
  of: { shape: "list", of: string, loneUntil: "1.13" },
};

/** A mapping from user-defined keys to one shape. */
export function map(of: Shape): MapShape {
  return { shape: "map", of };
}

/** A mapping with known keys. */
export function struct(fields: Fields): StructShape {
  return { shape: "struct", fields };
}

/** A mapping that another program interprets. */
export const free: FreeShape = { shape: "free" };

/** The same without secrets. */
export const openFree: FreeShape = { shape: "free", shown: "value" };

const crt: Field = {
  shape: base64,
  summary: "Certificate, base64-encoded PEM",
  always: true,
};

const key: Field = {
  shape: secretBase64,
  summary: "Private key, base64-encoded PEM",
  secret: true,
  always: true,
};

/** `{ crt, key }`, both always written. */
export const certificateAndKey: StructShape = {
  ...struct({ crt, key }),
  whole: true,
};

/** `{ crt }`. */
export const certificateOnly: StructShape = struct({ crt });

/** `{ key }`. */
export const keyOnly: StructShape = struct({ key });

/** The field for a key from user input; ignores inherited object properties. */
export function fieldAt(fields: Fields, key: string): Field | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
