import assert from "node:assert/strict";
import { optionalMacros } from "../../../config/document_cel/macros.ts";
import { parseExpression } from "../../../config/document_cel/parse.ts";
import type { Node } from "../../../config/document_cel/syntax.ts";

const dialect = { optionals: true, macros: optionalMacros };

/** A tree with parentheses around everything. */
function shape(node: Node): string {
  switch (node.kind) {
    case "literal":
      return node.text;
    case "name":
      return node.name;
    case "select":
      return `${shape(node.operand)}[${node.style} ${node.field}]`;
    case "call": {
      const on = node.target === undefined ? "" : `${shape(node.target)}.`;
      return `${on}${node.name}(${node.args.map(shape).join(", ")})`;
    }
    case "list":
      return `[${
        node.elements.map(({ value, optional }) =>
          `${optional ? "?" : ""}${shape(value)}`
        ).join(", ")
      }]`;
    case "map":
      return `{${
        node.entries.map(({ key, value, optional }) =>
          `${optional ? "?" : ""}${shape(key)}: ${shape(value)}`
        ).join(", ")
      }}`;
    case "record":
      return `${node.name}{${node.values.map(shape).join(", ")}}`;
    case "loop":
      return `${node.macro} over ${shape(node.range)}`;
  }
}

function parse(text: string): string {
  return shape(parseExpression(text, dialect));
}

Deno.test("parseExpression reads lists, maps and records", () => {
  assert.equal(parse("[1, ?a,]"), "[1, ?a]");
  assert.equal(parse("[,]"), "[]");
  assert.equal(parse("{1: a, ?'b': c}"), "{1: a, ?'b': c}");
  assert.equal(parse("a.b.C{d: 1, ?e: 2}"), "a.b.C{1, 2}");
  for (const text of ["[1,,]", "[1 2]", "{1}", "{1: 2,,}", "f(1,)"]) {
    assert.throws(() => parse(text), { name: "ExpressionError" }, text);
  }
});

Deno.test("parseExpression refuses other signs", () => {
  assert.throws(() => parse("+"), { message: 'Unexpected "+"' });
});
