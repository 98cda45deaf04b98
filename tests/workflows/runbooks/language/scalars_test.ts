import assert from "node:assert/strict";
import {
  count,
  countOrTemplate,
  durationOrTemplate,
  expression,
  oneOf,
  parseCountOrPercent,
  quoted,
  truth,
} from "../../../../workflows/runbooks/language/scalars.ts";
import type { LanguageScalar } from "../../../../workflows/runbooks/language/shape.ts";

function takes(shape: LanguageScalar, text: string, plain = true): boolean {
  return shape.fault({ kind: "scalar", text, plain }) === undefined;
}

Deno.test("durations are in Go's notation, or expressions", () => {
  for (const text of ["0", "90s", "1h30m", "1.5m", "${{ inputs.x }}"]) {
    assert.ok(takes(durationOrTemplate, text), text);
  }
  for (const text of ["5", "5 m", "1d", "-1s", "soon", "PT5M"]) {
    assert.ok(!takes(durationOrTemplate, text), text);
  }
});

Deno.test("counts and shares are whole and not below nothing", () => {
  for (const text of ["0", "12", "0%", "100%", "${{ inputs.x }}"]) {
    assert.ok(takes(countOrTemplate, text), text);
  }
  for (const text of ["-1", "1.5", "101%", "%", "5 %", "many"]) {
    assert.ok(!takes(countOrTemplate, text), text);
  }
  assert.deepEqual(parseCountOrPercent("25%"), { number: 25, percent: true });
  assert.deepEqual(parseCountOrPercent(2), { number: 2, percent: false });
  assert.equal(parseCountOrPercent("2"), undefined);
  assert.equal(parseCountOrPercent(true), undefined);
});

Deno.test("quoted words are not numbers and no truth values", () => {
  assert.ok(takes(count, "2") && !takes(count, "2", false));
  assert.ok(takes(truth, "true") && !takes(truth, "true", false));
});

Deno.test("conditions hold something, and no marks", () => {
  assert.ok(takes(expression, "node.ready"));
  assert.ok(!takes(expression, " ") && !takes(expression, "!${{ a }}"));
});

Deno.test("one of some words is one of them", () => {
  assert.ok(takes(oneOf(["a", "b"]), "b") && !takes(oneOf(["a", "b"]), "c"));
});

Deno.test("quoted cuts long values", () => {
  assert.equal(quoted({ text: 'a"b' }), '"a\\"b"');
  assert.equal(quoted({ text: "x".repeat(70) }), `"${"x".repeat(60)}…"`);
});
