import assert from "node:assert/strict";
import {
  typeMismatch,
  typeText,
  unknownField,
} from "../../../workflows/runbook_cel/types.ts";
import type {
  FieldType,
  ValueField,
} from "../../../workflows/runbook_cel/field.ts";
import { field, object } from "./_scope.ts";

const list = (items: FieldType) => field("list", { items: field(items) });
const map = (items: FieldType) => field("map", { items: field(items) });

Deno.test("a value fits where its type is required", () => {
  const fitting: readonly [ValueField, ValueField][] = [
    [field("any"), field("int")],
    [field("int"), field("any")],
    [field("int"), field("double")],
    [field("semver"), field("string")],
    [field("string"), field("node")],
    [field("int"), field("countOrPercent")],
    [field("string"), field("countOrPercent")],
    [field("nodes"), list("string")],
    [list("string"), field("nodes")],
    [list("int"), list("double")],
    [field("list"), list("int")],
    [map("int"), field("map")],
    [object({ a: field("int") }), map("int")],
    [map("any"), object({ a: field("int", { required: true }) })],
    [
      object({ a: field("int") }),
      object({ a: field("double"), b: field("int") }),
    ],
    [field("object"), object({ a: field("int", { required: true }) })],
    [field("secret"), field("secret")],
    [field("secret"), unknownField],
    [field("enum", { values: ["a"] }), field("enum", { values: ["a", "b"] })],
  ];
  for (const [actual, expected] of fitting) {
    assert.equal(
      typeMismatch(actual, expected),
      undefined,
      `${actual.type} ${expected.type}`,
    );
  }
});

Deno.test("a value that does not fit is reported with what would be right", () => {
  const table: readonly [ValueField, ValueField, string, string?][] = [
    [
      field("string"),
      field("int"),
      "It is a string, and a whole number is required",
      "Convert it with int(…)",
    ],
    [
      field("int"),
      field("string"),
      "It is a whole number, and a string is required",
      "Convert it with string(…)",
    ],
    [
      field("string"),
      field("duration"),
      "It is a string, and a duration is required",
      'Convert it with duration(…), as in duration("5m")',
    ],
    [
      field("string"),
      field("timestamp"),
      "It is a string, and a time is required",
      "Convert it with timestamp(…)",
    ],
    [
      field("string"),
      field("bool"),
      "It is a string, and true or false is required",
      "Compare it with a value",
    ],
    [
      object({ name: field("node") }),
      field("node"),
      "It is an object, and a node name is required",
      "Take its name: node.name",
    ],
    [
      object({ name: field("int") }),
      object({ name: field("bool", { required: true }) }),
      "It is an object with different fields than required",
    ],
    [
      object({}),
      object({ a: field("int", { required: true }) }),
      "It is an object with different fields than required",
    ],
    [
      field("int"),
      object({}),
      "It is a whole number, and an object is required",
    ],
    [
      list("int"),
      field("nodes"),
      "It is a list, each element a whole number, and a list of node names is required",
    ],
    [
      map("int"),
      map("bool"),
      "It is a map with different fields than required",
    ],
    [
      field("double"),
      field("int"),
      "It is a number, and a whole number is required",
    ],
    [
      field("secret"),
      field("any"),
      "A secret cannot be used here",
      "Only secret inputs accept a secret",
    ],
    [
      object({ a: field("secret") }),
      object({ a: field("any"), b: field("secret") }),
      "It is an object with different fields than required",
    ],
    [
      field("enum", { values: ["a", "c"] }),
      field("enum", { values: ["a", "b"] }),
      'It may be "c", and one of a, b is required',
    ],
  ];
  for (const [actual, expected, message, hint] of table) {
    assert.deepEqual(
      typeMismatch(actual, expected),
      hint === undefined ? { message } : { message, hint },
    );
  }
});

Deno.test("types have names for people", () => {
  const types: readonly FieldType[] = [
    "semver",
    "countOrPercent",
    "path",
    "duration",
    "secret",
    "any",
    "list",
  ];
  assert.deepEqual(types.map((type) => typeText(field(type))), [
    "a version",
    "a number or a percentage such as 25%",
    "a path",
    "a duration",
    "a secret",
    "anything",
    "a list",
  ]);
});
