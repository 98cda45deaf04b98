import assert from "node:assert/strict";
import { InputProblem } from "../../../commands/_kit/mod.ts";
import { keyArgument } from "../../../commands/meta/_key.ts";

Deno.test("keyArgument refuses values that are not a byte", () => {
  for (const text of ["", "256", "-1", "1.5", "ten", "08", "0x", "1e1", " 1"]) {
    assert.throws(() => keyArgument.parse([text]), InputProblem, text);
  }
});
