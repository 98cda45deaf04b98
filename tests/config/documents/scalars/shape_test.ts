import assert from "node:assert/strict";
import { notA, textual } from "../../../../config/documents/scalars/shape.ts";
import { reading } from "../_parse_cases.ts";

const even = textual({
  name: "even text",
  expected: "a text of even length",
  canonical: (text) => text.length % 2 === 0 ? text.trim() : undefined,
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
