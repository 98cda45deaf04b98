import assert from "node:assert/strict";
import {
  notA,
  scalar,
  textual,
} from "../../../../config/documents/scalars/shape.ts";
import { reading } from "../_readings.ts";

const even = textual({
  name: "even text",
  expected: "a text of even length",
  canonical: (text) => text.length % 2 === 0 ? text.trim() : undefined,
});

Deno.test("an absent scalar is an empty text unless its shape says otherwise", () => {
  assert.deepEqual(even.zero, { text: "", plain: false });
  const zero = { text: "0", plain: true };
  assert.deepEqual(scalar({ ...even, zero }).zero, zero);
});

Deno.test("quotes make no difference to texts", () => {
  assert.equal(reading(even, "ab"), '"ab"');
  assert.equal(reading(even, '"ab"'), '"ab"');
  assert.equal(reading(even, '"a  b "'), 'fault: "a  b " is not an even text');
  assert.equal(reading(even, '" ab "'), '"ab"');
});

Deno.test("a refused secret is not repeated", () => {
  const secret = textual({ ...even, hidden: true, canonical: () => undefined });
  assert.equal(reading(secret, "hunter2"), "fault: This is not an even text");
});

Deno.test("a refused value is repeated up to sixty characters", () => {
  const long = { kind: "scalar", text: "x".repeat(100), plain: true } as const;
  assert.deepEqual(notA(long, "size"), {
    fault: `"${"x".repeat(60)}…" is not a size`,
  });
});
