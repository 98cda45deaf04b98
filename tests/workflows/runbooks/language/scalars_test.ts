import assert from "node:assert/strict";
import {
  oneOf,
  quote,
} from "../../../../workflows/runbooks/language/scalars.ts";
import type { LanguageScalar } from "../../../../workflows/runbooks/language/shape.ts";

function takes(shape: LanguageScalar, text: string, plain = true): boolean {
  return shape.fault({ kind: "scalar", text, plain }) === undefined;
}

Deno.test("one of some words is one of them", () => {
  assert.ok(takes(oneOf(["a", "b"]), "b") && !takes(oneOf(["a", "b"]), "c"));
});

Deno.test("quote cuts long values", () => {
  assert.equal(quote({ text: 'a"b' }), '"a\\"b"');
  assert.equal(quote({ text: "x".repeat(70) }), `"${"x".repeat(60)}…"`);
});
