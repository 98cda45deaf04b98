import assert from "node:assert/strict";
import type { Json } from "../../../lib/json.ts";
import {
  checkTemplate,
  renderTemplate,
} from "../../../workflows/runbook_cel/template.ts";
import type { ValueField } from "../../../workflows/runbook_cel/field.ts";
import { declarations, field, object, scope, world } from "./_scope.ts";

function problems(value: Json, expected: ValueField = field("any")) {
  return checkTemplate(value, expected, declarations).problems;
}

function render(value: Json) {
  assert.deepEqual(problems(value), []);
  return renderTemplate(value, declarations, scope, world);
}

Deno.test("a text that is one expression keeps its type, others become texts", () => {
  assert.equal(render("${{ inputs.count }}"), 3);
  assert.equal(render("x ${{ inputs.count }} y"), "x 3 y");
  assert.equal(render("plain"), "plain");
  assert.equal(render("$${{ inputs.count }}"), "${{ inputs.count }}");
  assert.equal(
    render("before-${{ inputs.version }}.snapshot"),
    "before-v1.13.0.snapshot",
  );
  assert.equal(
    render("Not reachable: ${{ groups.missing.map(n, n.name) }}."),
    "Not reachable: n4, n5.",
  );
  assert.equal(render("in ${{ inputs.soak }}"), "in 2m0s");
});

Deno.test("problems are reported with their place in the value", () => {
  assert.deepEqual(
    problems({ a: ["ok", "x ${{ inputs.verson }}"] }),
    [{
      path: ["a", 1],
      offset: 13,
      message: '"inputs" has no "verson"',
      hint: 'Did you mean "version"?',
    }],
  );
  assert.deepEqual(problems("x ${{ a"), [{
    path: [],
    offset: 2,
    message: "An expression starts here and is not closed",
    hint: "End it with }}, or write $${{ for a literal ${{",
  }]);
  assert.deepEqual(problems("${{ inputs.version }}", field("int")), [{
    path: [],
    offset: 4,
    message: "It is a version, and a whole number is required",
    hint: "Convert it with int(…)",
  }]);
  assert.deepEqual(
    problems({ size: "${{ true }}" }, object({ size: field("int") })),
    [{
      path: ["size"],
      offset: 4,
      message: "It is true or false, and a whole number is required",
    }],
  );
  assert.deepEqual(
    problems(["${{ 1 }}"], field("nodes")).map(({ message }) => message),
    ["It is a whole number, and a node name is required"],
  );
  assert.deepEqual(
    problems("a ${{ 1 }}", field("bool")).map(({ message }) => message),
    ["It is a string, and true or false is required"],
  );
});

Deno.test("a value that may be absent does not fit where one is needed", () => {
  const needed = field("path", { required: true });
  assert.deepEqual(problems("${{ inputs.snapshot }}", field("path")), []);
  assert.deepEqual(problems("${{ inputs.snapshot }}", needed), [{
    path: [],
    offset: 4,
    message: '"inputs.snapshot" may be absent, and a path is required',
    hint: "Check has(inputs.snapshot) first, or give the input a default",
  }]);
  assert.deepEqual(
    problems("${{ inputs.snapshot }}", { ...needed, initial: "a" }),
    [],
  );
  assert.deepEqual(problems("a-${{ inputs.snapshot }}"), [{
    path: [],
    offset: 6,
    message: '"inputs.snapshot" may be absent',
    hint: "Check has(inputs.snapshot) first, or give the input a default",
  }]);
  assert.throws(
    () =>
      renderTemplate(
        "a-${{ inputs.snapshot }}",
        { inputs: object({ snapshot: field("path", { required: true }) }) },
        { inputs: {} },
        world,
      ),
    /Cannot insert "inputs.snapshot" into a string: it is absent/,
  );
});

Deno.test("a secret goes where one is taken, as a whole, and nowhere else", () => {
  assert.deepEqual(problems("${{ inputs.ca }}", field("secret")), []);
  const refused = ["A secret cannot be used here"];
  const messages = (value: Json, expected?: ValueField) =>
    problems(value, expected).map(({ message }) => message);
  assert.deepEqual(messages("${{ inputs.ca }}"), refused);
  assert.deepEqual(messages("${{ inputs.ca }}", field("string")), refused);
  assert.deepEqual(messages("x${{ steps.make.ca }}", field("string")), refused);
  assert.deepEqual(messages({ a: ["${{ steps.make.ca }}"] }), refused);
  assert.deepEqual(
    messages({ ca: "${{ steps.make.ca }}" }, object({ ca: field("secret") })),
    [],
  );
  assert.deepEqual(messages("${{ cluster.name }}", field("secret")), [
    "It is a string, and a secret is required",
  ]);
});

Deno.test("templates: refuses values without a text form", () => {
  assert.deepEqual(problems("x ${{ node }}").map(({ message }) => message), [
    "It is an object, which cannot be inserted into a string",
  ]);
  assert.deepEqual(
    problems("x ${{ groups.stale }}").map(({ message }) => message),
    [
      "It is a list, each element an object, which cannot be inserted into a string",
    ],
  );
});

Deno.test("the type of a value is found", () => {
  const inferType = (value: Json) =>
    checkTemplate(value, field("any"), declarations).field;
  assert.equal(inferType("${{ inputs.version }}").type, "semver");
  assert.equal(inferType("${{ size(groups.stale) }}").type, "int");
  assert.equal(inferType("v${{ 1 }}").type, "string");
  assert.equal(inferType(1).type, "int");
  assert.equal(inferType(1.5).type, "double");
  assert.equal(inferType(true).type, "bool");
  assert.equal(inferType(null).type, "any");
  assert.equal(inferType(["a", "b"]).items?.type, "string");
  assert.equal(inferType(["a", 1]).items?.type, "any");
  assert.equal(
    inferType({ a: "${{ inputs.soak }}" }).fields?.a?.type,
    "duration",
  );
  assert.equal(
    inferType("${{ has(inputs.snapshot) ? inputs.snapshot : 'b' }}").type,
    "string",
  );
});
