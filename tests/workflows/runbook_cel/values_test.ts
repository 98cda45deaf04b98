import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  givenHandle,
  readChoice,
  readHandle,
  readText,
  readTruth,
  toJson,
} from "../../../workflows/runbook_cel/values.ts";

Deno.test("values are taken by their names, or are not there", () => {
  const values = { text: "x", empty: "", number: 1, truth: false };
  assert.equal(readText(values, "text"), "x");
  assert.equal(readText(values, "empty"), undefined);
  assert.equal(readText(values, "number"), undefined);
  assert.equal(readTruth(values, "truth", true), false);
  assert.equal(readTruth(values, "text", true), true);
});

Deno.test("a choice is one of a few, the first when none is made", () => {
  assert.equal(readChoice({ a: "y" }, "a", ["x", "y"]), "y");
  assert.equal(readChoice({}, "a", ["x", "y"]), "x");
  assert.throws(() => readChoice({ a: "z" }, "a", ["x", "y"]), ConfigError);
});

Deno.test("a handle is distinguished from other values", () => {
  const handle = { secret: "ca.os", fingerprint: "ab" };
  assert.deepEqual(readHandle({ ca: handle }, "ca"), handle);
  assert.deepEqual(givenHandle({ ca: handle }, "ca"), handle);
  assert.deepEqual(toJson(handle), handle);
  assert.deepEqual(toJson({ secret: "x" }), { secret: "x" });
  for (const nothing of ["", null]) {
    assert.equal(readHandle({ ca: nothing }, "ca"), undefined);
  }
  assert.throws(() => readHandle({ ca: "text" }, "ca"), ConfigError);
  assert.throws(() => givenHandle({}, "ca"), /no secret was given/);
});
