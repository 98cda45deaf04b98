import assert from "node:assert/strict";
import { parseAddress } from "../../../commands/gen/_address.ts";
import { InputProblem } from "../../../commands/_kit/mod.ts";

Deno.test("parseAddress spells addresses the way certificates show them", () => {
  assert.equal(parseAddress("10.0.0.2"), "10.0.0.2");
  assert.equal(parseAddress("FD00:0::2"), "fd00::2");
});

Deno.test("parseAddress refuses what is no address", () => {
  for (const text of ["", "node-1", "10.0.0.0/24", "10.0.0", "10.0.0.2:80"]) {
    assert.throws(() => parseAddress(text), InputProblem, text);
  }
});
