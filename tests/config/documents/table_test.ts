import assert from "node:assert/strict";
import { environments } from "../../../config/document_cel/environments.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import type { Fields, Shape } from "../../../config/documents/schema.ts";
import { openText, u32 } from "../../../config/documents/scalars/scalars.ts";
import { documentKind, fieldTable } from "../../../config/documents/table.ts";

Deno.test("documentKind reads the flags of a kind and of its fields", () => {
  const kind = documentKind()`
DemoConfig | named, controlplane, since 1.12, group links | A demonstration
  name | text, always | Its name | "demo"
  size | u32, optional, default 3, since 1.13, until 1.14, replace | Its size
  old  | string, secret, required, listed, deprecated | Its past
  less | string, deprecated size, overwrite, newer big=1.10 huge=1.14 | Its future
`;
  const { fields, examples, ...traits } = kind;
  assert.deepEqual(traits, {
    kind: "DemoConfig",
    summary: "A demonstration",
    named: true,
    controlPlaneOnly: true,
    since: "1.12",
    group: "links",
  });
  assert.deepEqual(examples, []);
  const { shape: _name, ...name } = fields["name"]!;
  assert.deepEqual(name, {
    summary: "Its name",
    always: true,
    examples: [{ value: "demo" }],
  });
  assert.deepEqual(fields["size"], {
    shape: u32,
    summary: "Its size",
    optional: true,
    initial: "3",
    since: "1.13",
    until: "1.14",
    merge: "replace",
  });
  const { shape: _old, ...old } = fields["old"]!;
  assert.deepEqual(old, {
    summary: "Its past",
    secret: true,
    required: true,
    listed: true,
    deprecated: "",
  });
  const { deprecated, merge, newer } = fields["less"]!;
  assert.deepEqual(
    [deprecated, merge, newer],
    ["size", "overwrite", { big: "1.10", huge: "1.14" }],
  );
});

Deno.test("documentKind nests the keys of structs in lists and mappings", () => {
  const { fields } = documentKind()`
DemoConfig |  | A demonstration
  routes   | list(struct), key metric | Routes
    metric | u32 | Metric
  hosts    | map(gaps(whole)) | Hosts
    name   | text | Name
  empty    | struct | Nothing
`;
  const routes = fields["routes"]!;
  assert.deepEqual(routes.merge, ["metric"]);
  assert.deepEqual(routes.shape, {
    shape: "list",
    of: {
      shape: "struct",
      fields: { metric: { shape: u32, summary: "Metric" } },
    },
  });
  assert.deepEqual(fields["hosts"]!.shape, {
    shape: "map",
    of: {
      shape: "list",
      gaps: true,
      of: {
        shape: "struct",
        whole: true,
        fields: { name: { shape: openText, summary: "Name" } },
      },
    },
  });
  assert.deepEqual(fields["empty"]!.shape, { shape: "struct", fields: {} });
});

Deno.test("documentKind takes keys and shapes of other tables", () => {
  const size = { ...u32, name: "number of things" };
  const shared = fieldTable`
size | ${size} | Its size | 3
`;
  const { fields } = documentKind()`
DemoConfig |  | A demonstration
  ...${shared} | since 1.13, optional
  inner | struct(${shared}) | The same
`;
  assert.deepEqual(fields["size"], {
    shape: size,
    summary: "Its size",
    since: "1.13",
    optional: true,
    examples: [{ value: 3 }],
  });
  const { shape } = fields["inner"]!;
  assert.equal(shape.shape === "struct" && shape.fields, shared());
});

Deno.test("documentKind reads examples of one line and of several", () => {
  const pem = "-----BEGIN-----\n";
  const { fields, examples } = documentKind()`
DemoConfig |  | A demonstration of \`names\`
  = A first | {"name": "a | b",
    "pem": "${pem}", "list": ${[1, 2]}}
  = {"name": "c\\d"}
  name | text | Its name; the variable is \`name\`
    = "a"
    = "b"
`;
  assert.deepEqual(examples, [
    { title: "A first", value: { name: "a | b", pem, list: [1, 2] } },
    { value: { name: "c\\d" } },
  ]);
  assert.deepEqual(fields["name"]!.examples, [{ value: "a" }, { value: "b" }]);
  assert.equal(fields["name"]!.summary, "Its name; the variable is `name`");
});

for (
  const [row, problem] of [
    ["name | texts | Name", 'name: unknown shape "texts"'],
    ["name | list | Name", 'name: unknown shape "list"'],
    ["name | list(texts) | Name", 'name: unknown shape "texts"'],
    ["name | text, allways | Name", 'name: unknown flag "allways"'],
    ["name | text, since 1 | Name", '"1" is not a version such as 1.14'],
    ["name | text", "name: there is no summary"],
    ["name | struct(other) | Name", "other: there is no such table"],
    ["...other", "other: there is no such table"],
    ["a | text | A\na | text | A", "a: there are two rows of this key"],
    ["a | text | A\n  b | text | B", "a: only a struct has keys of its own"],
  ] as const
) {
  Deno.test(`fieldTable refuses ${JSON.stringify(row)}`, () => {
    const texts = Object.assign([row], { raw: [row] });
    assert.throws(fieldTable(texts), { name: "TypeError", message: problem });
  });
}

Deno.test("expressions in tables name environments that exist", () => {
  const named = [...documentKinds.values()].flatMap(({ fields }) =>
    environmentsIn(fields)
  );
  assert.deepEqual([...new Set(named)].sort(), [
    "disk",
    "link",
    "oom-ranking",
    "oom-trigger",
    "volume",
  ]);
  for (const name of named) assert.ok(Object.hasOwn(environments, name), name);
});

function environmentsIn(fields: Fields): string[] {
  return Object.values(fields).flatMap(({ shape }) => inShape(shape));
}

function inShape(shape: Shape): string[] {
  if (shape.shape === "struct") return environmentsIn(shape.fields);
  if (shape.shape === "list" || shape.shape === "map") return inShape(shape.of);
  return shape.shape === "scalar" && shape.expression ? [shape.expression] : [];
}
