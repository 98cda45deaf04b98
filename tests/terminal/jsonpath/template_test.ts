import assert from "node:assert/strict";
import { OsctlError, UsageError } from "../../../errors.ts";
import {
  compileColumn,
  compileTemplate,
} from "../../../terminal/jsonpath/template.ts";

const row = {
  node: "10.0.0.2",
  metadata: { id: "eth0", version: 3, labels: { a: "1" } },
  spec: {
    up: true,
    mtu: 1500n,
    addresses: ["a", "b"],
    peers: [{ ip: "x" }, { ip: "y" }],
  },
};

function print(template: string, value: unknown = row): string {
  return compileTemplate(template)(value);
}

Deno.test("a template of paths prints every value on a line of its own", () => {
  assert.equal(print("{.metadata.id}"), "eth0\n");
  assert.equal(print("{.spec.addresses[*]}"), "a\nb\n");
  assert.equal(print("{.metadata.id}{.node}"), "eth0\n10.0.0.2\n");
  assert.equal(print("{.spec.up}{.spec.mtu}"), "true\n1500\n");
});

Deno.test("a template without braces is one path", () => {
  assert.equal(print(".metadata.id"), "eth0\n");
  assert.equal(print("metadata.id"), "eth0\n");
  assert.equal(print("$.spec.peers[1].ip"), "y\n");
});

Deno.test("a template prints lists and mappings as indented JSON", () => {
  assert.equal(print("{.metadata.labels}"), '{\n    "a": "1"\n}\n');
  assert.equal(print("{.spec.addresses}"), '[\n    "a",\n    "b"\n]\n');
});

Deno.test("a template with texts prints what it says and one line end", () => {
  assert.equal(print('{.node}{"\\t"}{.metadata.id}'), "10.0.0.2\teth0\n");
  assert.equal(
    print("id={.metadata.id}, v{.metadata.version}"),
    "id=eth0, v3\n",
  );
  assert.equal(print('{.node}{"\\n"}'), "10.0.0.2\n");
  assert.equal(print("all: {.spec.addresses[*]}"), "all: a b\n");
});

Deno.test("a template that asks for what a row lacks is a failure", () => {
  assert.throws(() => print("{.spec.down}"), OsctlError);
  assert.throws(() => print("{.spec.down}"), {
    message: 'Cannot evaluate jsonpath "{.spec.down}": down is not found',
  });
});

Deno.test("a template that cannot be read is wrong usage and says where", () => {
  const message = (template: string) => {
    try {
      compileTemplate(template);
    } catch (error) {
      assert.ok(error instanceof UsageError);
      return error.message;
    }
  };
  assert.equal(
    message("{.a"),
    'Invalid value "{.a" for jsonpath: expected "}" at character 4',
  );
  assert.equal(
    message("{range .a[*]}{.b}"),
    'Invalid value "{range .a[*]}{.b}" for jsonpath: expected {end} at character 18',
  );
  assert.equal(
    message("{.a}{end}"),
    'Invalid value "{.a}{end}" for jsonpath: expected {range} before {end} at character 9',
  );
  assert.equal(
    message("{}"),
    'Invalid value "{}" for jsonpath: expected a path at character 2',
  );
  assert.equal(
    message(".a b"),
    'Invalid value ".a b" for jsonpath: expected the end at character 4',
  );
  assert.match(message("{range .a}".repeat(60)) ?? "", /expected less nesting/);
});

Deno.test("a print column gives the values found and none for missing keys", () => {
  assert.deepEqual(compileColumn("{.spec.addresses[:]}")(row), ["a", "b"]);
  assert.deepEqual(compileColumn("{.spec.nothing.more}")(row), []);
  assert.deepEqual(compileColumn("{.spec.mtu}/{.metadata.id}")(row), [
    1500n,
    "/",
    "eth0",
  ]);
  assert.deepEqual(compileColumn("{range .spec.peers[*]}{.ip}{end}")(row), [
    "x",
    "y",
  ]);
});

Deno.test("a template that leads to more values than any document has use for is refused", () => {
  const value = { list: Array.from({ length: 400 }, (_, i) => i) };
  for (
    const template of [
      "{.list[?(@ < $.list[?(@ < $.list[*])])]}",
      "{range .list[*]}{range $.list[*]}{$..*}{end}{end}",
      "{range .list[*]}{$..[?(@ == $..*)]}{end}",
    ]
  ) {
    assert.throws(() => print(template, value), {
      name: "OsctlError",
      message:
        `Cannot evaluate jsonpath "${template}": it leads to more than 5000000 values`,
    });
  }
});

Deno.test("filters nested too deeply are refused", () => {
  const nested = (depth: number) =>
    `{.a${"[?(@".repeat(depth)}${")]".repeat(depth)}}`;
  assert.equal(print(nested(10), { a: [] }), "");
  assert.throws(() => print(nested(5_000)), {
    name: "UsageError",
    message: /less nesting at character 47$/,
  });
});
