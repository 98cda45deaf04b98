import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  choiceOf,
  givenHandle,
  handleOf,
  jsonOf,
  textOf,
  truthOf,
} from "../../../workflows/expression/values.ts";

Deno.test("values are taken by their names, or are not there", () => {
  const values = { text: "x", empty: "", number: 1, truth: false };
  assert.equal(textOf(values, "text"), "x");
  assert.equal(textOf(values, "empty"), undefined);
  assert.equal(textOf(values, "number"), undefined);
  assert.equal(truthOf(values, "truth", true), false);
  assert.equal(truthOf(values, "text", true), true);
});

Deno.test("a choice is one of a few, the first when none is made", () => {
  assert.equal(choiceOf({ a: "y" }, "a", ["x", "y"]), "y");
  assert.equal(choiceOf({}, "a", ["x", "y"]), "x");
  assert.throws(() => choiceOf({ a: "z" }, "a", ["x", "y"]), ConfigError);
});

Deno.test("a handle is distinguished from other values", () => {
  const handle = { secret: "ca.os", fingerprint: "ab" };
  assert.deepEqual(handleOf({ ca: handle }, "ca"), handle);
  assert.deepEqual(givenHandle({ ca: handle }, "ca"), handle);
  assert.deepEqual(jsonOf(handle), handle);
  assert.deepEqual(jsonOf({ secret: "x" }), { secret: "x" });
  for (const nothing of ["", null]) {
    assert.equal(handleOf({ ca: nothing }, "ca"), undefined);
  }
  assert.throws(() => handleOf({ ca: "text" }, "ca"), ConfigError);
  assert.throws(() => givenHandle({}, "ca"), /no secret was given/);
});
