import assert from "node:assert/strict";
import { changedValue } from "../../../config/inject/change.ts";
import { mapOf } from "../../../config/inject/value.ts";

Deno.test("changedValue drops and adds items deep in a value", () => {
  const value = mapOf({ a: [mapOf({ l: ["x", "y", "z"] }), "other"] });
  const change = { path: ["a", 0], key: "l", drop: [0, 2], add: ["n"] };
  assert.deepEqual(
    changedValue(value, [change]),
    mapOf({ a: [mapOf({ l: ["y", "n"] }), "other"] }),
  );
});

Deno.test("changedValue makes a list where there is none", () => {
  const change = { path: [], key: "l", drop: [], add: ["n"] };
  for (const value of [mapOf({}), mapOf({ l: null })]) {
    assert.deepEqual(changedValue(value, [change]), mapOf({ l: ["n"] }));
  }
});

Deno.test("changedValue makes one change after the other", () => {
  const change = { path: [], key: "l", drop: [], add: ["n"] };
  assert.deepEqual(
    changedValue(mapOf({}), [change, { ...change, drop: [0], add: ["m"] }]),
    mapOf({ l: ["m"] }),
  );
});
