import assert from "node:assert/strict";
import { InputProblem } from "../../../commands/_kit/mod.ts";
import {
  addValidity,
  hoursFlag,
  parseAddress,
} from "../../../commands/gen/_inputs.ts";

Deno.test("parseAddress spells addresses the way certificates show them", () => {
  assert.equal(parseAddress("10.0.0.2"), "10.0.0.2");
  assert.equal(parseAddress("FD00:0::2"), "fd00::2");
});

Deno.test("parseAddress refuses what is not an address", () => {
  for (const text of ["", "node-1", "10.0.0.0/24", "10.0.0", "10.0.0.2:80"]) {
    assert.throws(() => parseAddress(text), InputProblem, text);
  }
});

Deno.test("hoursFlag takes whole hours above zero", () => {
  const flag = hoursFlag(24);
  assert.equal(flag.initial, 24);
  assert.equal(flag.parse("1", undefined), 1);
  for (const text of ["0", "-1", "1.5", "24h"]) {
    assert.throws(() => flag.parse(text, undefined), InputProblem, text);
  }
});

Deno.test("addValidity adds hours", () => {
  assert.deepEqual(
    addValidity(new Date("2024-02-28T23:30:00Z"), 25),
    new Date("2024-03-01T00:30:00Z"),
  );
});
