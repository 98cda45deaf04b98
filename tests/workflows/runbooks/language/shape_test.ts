import assert from "node:assert/strict";
import { text } from "../../../../workflows/runbooks/language/scalars.ts";
import {
  free,
  listOf,
  mapOf,
  struct,
} from "../../../../workflows/runbooks/language/shape.ts";

Deno.test("shapes say what they are", () => {
  const key = { shape: text, summary: "A" };
  assert.deepEqual(
    [
      listOf(free, { filled: true }),
      mapOf(text, free),
      struct("s", { a: key }, { short: text }),
    ],
    [
      { shape: "list", of: { shape: "free" }, filled: true },
      { shape: "map", keys: text, of: { shape: "free" } },
      { shape: "struct", name: "s", keys: { a: key }, short: text },
    ],
  );
});
