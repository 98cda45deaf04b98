/** The shapes values can have, as functions and constants for the descriptions of documents. */

import type {
  Field,
  Fields,
  FreeShape,
  ListShape,
  MapShape,
  Shape,
  StructShape,
} from "./schema.ts";
import { base64, secretBase64 } from "./scalars/scalars.ts";

/** A sequence of one shape. */
export function list(of: Shape): ListShape {
  return { shape: "list", of };
}

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

const certificate: Field = {
  shape: base64,
  summary: "Certificate, PEM in base64",
};

const key: Field = {
  shape: secretBase64,
  summary: "Private key, PEM in base64",
  secret: true,
};

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
