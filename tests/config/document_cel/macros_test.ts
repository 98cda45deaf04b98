import assert from "node:assert/strict";
import { standardMacros, unfold } from "../../../config/document_cel/macros.ts";
import type { CallNode, Node } from "../../../config/document_cel/syntax.ts";

const list: Node = { kind: "name", name: "list", offset: 0 };
const x: Node = { kind: "name", name: "x", offset: 9 };

function method(name: string, ...args: readonly Node[]): CallNode {
  return { kind: "call", name, target: list, args, offset: 5 };
}

Deno.test("unfold refuses variables that are not free names", () => {
  const seven: Node = { kind: "literal", type: "int", text: "7", offset: 9 };
  assert.throws(() => unfold(method("map", seven, x), standardMacros), {
    message: 'First argument of "map" must be a name',
    offset: 9,
  });
  const taken: Node = { kind: "name", name: "__result__", offset: 9 };
  assert.throws(() => unfold(method("all", taken, x), standardMacros), {
    message: 'Variable "__result__" is already defined',
  });
});
