/** Bytes as base64. */

import { textual } from "./shape.ts";
import type { JsonSchema, ScalarShape } from "../schema.ts";

/** What stands for a secret that was taken out. */
export const redacted = "******";

const form = /^[A-Za-z0-9+/]*={0,2}$/;

const json: JsonSchema = { type: "string", contentEncoding: "base64" };

/** Bytes as base64, standard alphabet, padded; line breaks do not count. */
export const base64: ScalarShape = textual({
  name: "base64 text",
  shown: "value",
  expected: "base64 with padding",
  json,
  hidden: true,
  canonical,
});

/** Bytes as base64 that are secret: asterisks stand for what was taken out. */
export const secretBase64: ScalarShape = textual({
  name: "base64 text",
  expected: "base64 with padding",
  json,
  hidden: true,
  canonical: (text) => text === redacted ? text : canonical(text),
});

// Bits that the padding cuts off become zero.
function canonical(text: string): string | undefined {
  const bare = text.replace(/[\r\n]/g, "");
  if (bare.length % 4 !== 0 || !form.test(bare)) return undefined;
  return Uint8Array.fromBase64(bare).toBase64();
}
