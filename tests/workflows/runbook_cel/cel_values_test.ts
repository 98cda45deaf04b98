import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  fromCel,
  type Maker,
  toCel,
} from "../../../workflows/runbook_cel/cel_values.ts";
import type { Json } from "../../../lib/json.ts";
import type { ValueField } from "../../../workflows/runbook_cel/field.ts";
import { field, object } from "./_scope.ts";

const makers = new Map<ValueField, Maker>();

function come(value: Json | undefined, type: ValueField): unknown {
  return toCel(value, type, makers);
}

Deno.test("values come out as they went in", () => {
  const table: readonly [Json, ValueField][] = [
    ["a", field("string")],
    [3, field("int")],
    [0.5, field("double")],
    [3, field("double")],
    [true, field("bool")],
    ["v1.13.0", field("semver")],
    ["1h30m0s", field("duration")],
    ["-1.5s", field("duration")],
    ["2026-01-02T03:04:05.000Z", field("timestamp")],
    ["25%", field("countOrPercent")],
    [2, field("countOrPercent")],
    [["a", "b"], field("nodes")],
    [[1, 2], field("list", { items: field("int") })],
    [{ a: "1s" }, field("map", { items: field("duration") })],
    [{ a: [1, 2.5, null, "x", { b: true }] }, field("any")],
    [{ a: 1 }, field("object")],
    [{ secret: "ca", fingerprint: "ab" }, field("secret")],
  ];
  for (const [value, type] of table) {
    assert.deepEqual(fromCel(come(value, type)), value, type.type);
  }
});

Deno.test("nothing comes out of nothing, and null is nothing where a type is wanted", () => {
  assert.equal(come(undefined, field("int")), undefined);
  assert.equal(come(null, field("int")), undefined);
  assert.equal(come(null, field("any")), null);
  assert.equal(fromCel(null), null);
});

Deno.test("a secret shows nothing inside", () => {
  const inside = come({ secret: "ca" }, field("secret")) as object;
  assert.deepEqual(Reflect.ownKeys(inside), []);
});

Deno.test("a value of another type is refused", () => {
  const table: readonly [Json, ValueField, string][] = [
    [1.5, field("int"), "1.5: it is not a whole number"],
    ["x", field("duration"), '"x": it is not a duration'],
    [5, field("duration"), "5: it is not a duration"],
    ["x", field("timestamp"), '"x": it is not a time'],
    [5, field("timestamp"), "5: it is not a time"],
    [{}, field("list"), "{}: it is not a list"],
    [[], field("map"), "[]: it is not a map"],
    ["a", object({}), '"a": it is not an object'],
  ];
  for (const [value, type, message] of table) {
    assert.throws(
      () => come(value, type),
      new ConfigError(`Cannot use ${message}`),
    );
  }
});

Deno.test("CEL values: refuses results that JSON cannot represent", () => {
  assert.throws(
    () => fromCel(2n ** 60n),
    new ConfigError(
      "Cannot use the number 1152921504606846976: it is too large",
    ),
  );
  assert.throws(() => fromCel(new Uint8Array()), /it is bytes/);
  assert.deepEqual(fromCel({ a: 1n }), { a: 1 });
});
