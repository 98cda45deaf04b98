import assert from "node:assert/strict";
import type { ScalarShape } from "../../../config/documents/schema.ts";

/** Contents of a file and the result; quoted texts in double quotes. */
export type Readings = readonly (readonly [given: string, written: string])[];

/** Reads a value: what is in double quotes is a text, everything else is not quoted. */
export function reading(shape: ScalarShape, given: string): string {
  const quoted = /^"(.*)"$/s.exec(given)?.[1];
  const text = quoted ?? given;
  const found = shape.read({
    kind: "scalar",
    text,
    plain: quoted === undefined,
  });
  if ("fault" in found) return `fault: ${found.fault}`;
  return found.plain ? found.text : `"${found.text}"`;
}

/** Checks what values are written as; canonical ones are read as themselves. */
export function assertReadings(shape: ScalarShape, cases: Readings): void {
  for (const [given, written] of cases) {
    assert.equal(reading(shape, given), written, given);
    assert.equal(reading(shape, written), written, `${given}, read again`);
  }
}

/** Checks that values are kept as they are, as texts. */
export function assertKept(
  shape: ScalarShape,
  texts: readonly string[],
): void {
  assertReadings(shape, texts.map((text) => [text, `"${text}"`]));
}

/** Checks that values are refused; double quotes as for {@linkcode reading}. */
export function assertRefused(
  shape: ScalarShape,
  texts: readonly string[],
): void {
  const taken = texts.filter((text) =>
    !reading(shape, text).startsWith("fault: ")
  );
  assert.deepEqual(taken, []);
}

/** Reports whether a text fits a pattern of the shape's JSON Schema. */
export function fits(shape: ScalarShape, text: string): boolean {
  const { anyOf } = shape.json;
  const parts: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [shape.json];
  return parts.some((part) =>
    typeof part === "object" && part !== null && "pattern" in part &&
    new RegExp(String(part.pattern), "u").test(text)
  );
}
