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
