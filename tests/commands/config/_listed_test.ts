import assert from "node:assert/strict";
import { listed } from "../../../commands/config/_listed.ts";

Deno.test("listed splits at commas and drops blanks and empty parts", () => {
  assert.deepEqual(listed([" a ", "b,c,", ",", "", "d , e"]), [
    ...["a", "b", "c", "d", "e"],
  ]);
  assert.deepEqual(listed([]), []);
});
