import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  givenHandle,
  readHandle,
  toJson,
} from "../../../workflows/runbook_cel/values.ts";

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
