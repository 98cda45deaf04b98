import assert from "node:assert/strict";
import type { DocumentKind } from "../../config/documents/schema.ts";
import { documentKind } from "../../config/documents/table.ts";
import { compareSchemas } from "../../tools/schemas.ts";

const demo = documentKind()`
DemoConfig | named | A demonstration
  name     | text, always | Its name
  mode     | choice(none fast slow turbo), newer turbo=1.14 | How it works
  sizes    | map(list(int)) | Sizes
  flags    | programFlags | Flags
  options  | list(words(ro rw)) | Options
  routes   | list(struct) | Routes
    metric | u32, since 1.14 | Metric
  old      | text, deprecated name | Its past
  settings | free | Settings
`;
const newest = documentKind()`
NewestConfig | since 1.14 | What came last
  enabled | boolean | Whether it is on
`;

/** A schema of these tables, of the form that releases have. */
const properties = {
  apiVersion: { enum: ["v1alpha1"] },
  kind: { enum: ["DemoConfig"] },
  name: { type: "string" },
  mode: { enum: ["fast", "slow"] },
  sizes: {
    type: "object",
    patternProperties: { ".*": { type: "array", items: { type: "integer" } } },
  },
  flags: { type: "object", patternProperties: { ".*": { type: "string" } } },
  options: { enum: ["ro", "rw"] },
  routes: { type: "array", items: { $ref: "#/$defs/Route" } },
  settings: { type: "object" },
};

interface Change {
  readonly version?: string;
  readonly demo?: Readonly<Record<string, unknown>>;
  readonly route?: Readonly<Record<string, unknown>>;
  readonly others?: readonly unknown[];
}

function schema(
  { version = "v1.12", demo = {}, route = {}, others = [] }: Change = {},
): string {
  return JSON.stringify({
    $id: `https://example.com/${version}/schemas/config.schema.json`,
    $defs: {
      Demo: { type: "object", properties: { ...properties, ...demo } },
      Route: { type: "object", properties: route },
    },
    oneOf: [{ $ref: "#/$defs/Demo" }, ...others],
  });
}

function compare(
  texts: readonly string[],
  kinds: readonly DocumentKind[] = [demo, newest],
): readonly string[] {
  return compareSchemas(texts, kinds);
}

Deno.test("compareSchemas finds nothing in a schema that says the same", () => {
  assert.deepEqual(compare([schema()]), []);
});

Deno.test("compareSchemas names keys, kinds and words that the tables lack", () => {
  const other = { properties: { kind: { enum: ["OtherConfig"] } } };
  const text = schema({
    demo: { speed: { type: "integer" }, mode: { enum: ["fast", "idle"] } },
    others: [other],
  });
  assert.deepEqual(compare([text]), [
    '1.12 DemoConfig.mode: "idle" is missing in the tables',
    '1.12 DemoConfig.mode: "slow" is missing in the schema',
    "1.12 DemoConfig.speed: missing in the tables",
    "1.12 OtherConfig: missing in the tables",
  ]);
});

Deno.test("compareSchemas names what a release has before the tables say so, and what it lacks", () => {
  const early = schema({ route: { metric: { type: "integer" } } });
  assert.deepEqual(compare([early]), [
    "1.12 DemoConfig.routes[].metric: in the tables since 1.14 only",
  ]);
  const late = schema({ version: "v1.14" });
  assert.deepEqual(compare([late]), [
    '1.14 DemoConfig.mode: "turbo" is missing in the schema',
    "1.14 DemoConfig.flags.*: string in the schema, list in the tables",
    "1.14 DemoConfig.routes[].metric: missing in the schema",
    "1.14 NewestConfig: missing in the schema",
  ]);
});

Deno.test("compareSchemas names values of another type, also in lists and mappings", () => {
  const text = schema({
    demo: {
      name: { type: "array", items: { type: "string" } },
      routes: { type: "object" },
      settings: { type: "string" },
      sizes: {
        type: "object",
        patternProperties: { ".*": { type: "integer" } },
      },
    },
  });
  assert.deepEqual(compare([text]), [
    "1.12 DemoConfig.name: array in the schema, scalar in the tables",
    "1.12 DemoConfig.sizes.*: integer in the schema, list in the tables",
    "1.12 DemoConfig.routes: object in the schema, list in the tables",
    "1.12 DemoConfig.settings: string in the schema, free in the tables",
  ]);
});

Deno.test("compareSchemas lets newer schemas leave out keys of older ones", () => {
  const { name: _, ...rest } = properties;
  const older = schema();
  const newer = JSON.stringify({
    ...JSON.parse(schema({ version: "v1.13" })),
    oneOf: [{ properties: rest }],
    $defs: { Route: {} },
  });
  const flags = "1.13 DemoConfig.flags.*: string in the schema, list in the " +
    "tables";
  const routes = "1.13 DemoConfig.routes[]: value in the schema, struct in " +
    "the tables";
  assert.deepEqual(compare([newer, older]), [flags, routes]);
  assert.deepEqual(compare([newer]), [
    flags,
    routes,
    "1.13 DemoConfig.name: missing in the schema",
  ]);
});

Deno.test("compareSchemas refuses what is no schema of a release", () => {
  assert.throws(() => compare([`{"$id": "https://example.com/"}`]), {
    message:
      'Cannot find a version such as v1.14 in $id "https://example.com/"',
  });
  assert.throws(() => compare([`{"$id": "https://example.com/v1.14/x"}`]), {
    message: "Cannot compare the schema of 1.14: it is empty",
  });
  assert.throws(
    () => compare([schema({ others: [{ $ref: "#/$defs/Gone" }] })]),
    { message: 'Cannot compare the schema: it has no "#/$defs/Gone"' },
  );
});
