import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { ValueField } from "../../../../workflows/runbook_cel/field.ts";
import {
  fieldsSchema,
  jsonSchema,
} from "../../../../workflows/runbooks/language/json_schema.ts";
import { finders } from "./_finders.ts";
import { anyRunbook, mend } from "./_random.ts";

const modules = await Promise.all(finders.modules.map(finders.module));
const schema = jsonSchema({
  modules: modules.filter((one) => one !== undefined),
  checks: finders.checks.map(finders.check).filter((one) => one !== undefined),
});
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validate = ajv.compile(schema);

function fits(step: unknown): boolean {
  return validate({
    apiVersion: "osctl/v1",
    kind: "Runbook",
    name: "a",
    title: "A",
    steps: [step],
  });
}

Deno.test("the JSON Schema takes random runbooks whose names exist", () => {
  fc.assert(
    fc.property(anyRunbook, (value) => {
      assert.ok(validate(mend(value)), JSON.stringify(validate.errors));
    }),
    { numRuns: 200 },
  );
});

const right: readonly unknown[] = [
  { id: "a", run: "etcd.snapshot", with: { artifact: "x", count: 1 } },
  { id: "a", run: "etcd.snapshot", with: { artifact: "x", count: "${{ 1 }}" } },
  { id: "a", run: "node.cordon", with: { node: "n" }, retry: 3 },
  { id: "a", gate: ["node.ready", { check: "cluster.health" }] },
  { id: "a", gate: "node.ready", within: "${{ inputs.x }}" },
  { id: "a", forEach: "g", steps: [{ id: "b", sleep: "5m" }] },
];
for (const step of right) {
  Deno.test(`the JSON Schema takes ${JSON.stringify(step)}`, () => {
    assert.ok(fits(step), JSON.stringify(validate.errors));
  });
}

const wrong: readonly unknown[] = [
  { run: "etcd.status" },
  { id: "a" },
  { id: "a", run: "etcd.statu" },
  { id: "a", run: "etcd.status", sleep: "5m" },
  { id: "a", run: "etcd.status", within: "5m" },
  { id: "a", run: "etcd.status", wth: {} },
  { id: "a", run: "etcd.status", timeout: "5 m" },
  { id: "a", run: "etcd.snapshot", with: { artefact: "x" } },
  { id: "a", run: "etcd.snapshot", with: { count: 1 } },
  { id: "a", run: "etcd.snapshot", with: { artifact: "x", key: "hush" } },
  { id: "a", gate: [] },
  { id: "a", gate: ["node.redy"] },
  { id: "a", gate: [{ check: "node.ready", with: { x: 1 } }] },
  { id: "a", forEach: "g" },
  { id: "a", sleep: "5m", steps: [] },
];
for (const step of wrong) {
  Deno.test(`the JSON Schema refuses ${JSON.stringify(step)}`, () => {
    assert.ok(!fits(step));
  });
}

Deno.test("the JSON Schema says what keys mean, and what counts without them", () => {
  const { $defs } = schema as {
    readonly $defs: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, unknown>> }>
    >;
  };
  assert.deepEqual($defs["step"]?.properties["pointOfNoReturn"], {
    type: "boolean",
    description: "Whether this step is the point of no return. Default: false",
  });
});

const types: readonly (readonly [ValueField["type"], unknown])[] = [
  ["string", { type: "string" }],
  ["path", { type: "string" }],
  ["any", {}],
  ["bool", {
    anyOf: [
      { type: "boolean" },
      { type: "string", pattern: "\\$\\{\\{" },
      { type: "null" },
    ],
  }],
];
for (const [type, expected] of types) {
  Deno.test(`fieldsSchema writes ${type}`, () => {
    assert.deepEqual(fieldsSchema({ x: { type, summary: "" } }), {
      type: "object",
      properties: { x: expected },
      additionalProperties: false,
    });
  });
}

Deno.test("fieldsSchema knows every type of field", () => {
  const int: ValueField = { type: "int", summary: "" };
  const validate = ajv.compile(fieldsSchema({
    int: { ...int, required: true, summary: "A count" },
    double: { type: "double", summary: "", initial: 1 },
    duration: { type: "duration", summary: "" },
    count: { type: "countOrPercent", summary: "" },
    semver: { type: "semver", summary: "" },
    enum: { type: "enum", summary: "", values: ["a"] },
    nodes: { type: "nodes", summary: "" },
    list: { type: "list", summary: "", items: int },
    lists: { type: "list", summary: "" },
    map: { type: "map", summary: "", items: int },
    maps: { type: "map", summary: "" },
    object: { type: "object", summary: "", fields: { int } },
    objects: { type: "object", summary: "" },
  }));
  const right = {
    int: 1,
    double: 1.5,
    duration: "5m",
    count: "5%",
    semver: "v1.2.3",
    enum: "a",
    nodes: ["n"],
    list: [1],
    lists: ["x"],
    map: { a: 1 },
    maps: { a: "x" },
    object: { int: 1 },
    objects: { x: 1 },
  };
  assert.ok(validate(right), JSON.stringify(validate.errors));
  for (const key of Object.keys(right)) {
    assert.ok(!validate({ ...right, [key]: true }), key);
  }
  assert.ok(!validate({}));
});
