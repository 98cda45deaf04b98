import assert from "node:assert/strict";
import { fixHint } from "../../../config/document_cel/fix_hint.ts";
import type { Literal, Node } from "../../../config/document_cel/syntax.ts";
import { readType } from "../../../config/document_cel/types.ts";

function literal(type: Literal["type"], text: string): Literal {
  return { kind: "literal", type, text, offset: 0 };
}

function cure(node: Node, type: string, wanted: string): string | undefined {
  return fixHint(node, readType(type), readType(wanted));
}

function rewritten(
  type: Literal["type"],
  text: string,
  wanted: string,
): string | undefined {
  return cure(literal(type, text), type, wanted);
}

Deno.test("fixHint writes numbers as those of another type", () => {
  assert.equal(rewritten("int", "100", "uint"), "Write 100u");
  assert.equal(rewritten("int", "0x1F", "uint"), "Write 0x1Fu");
  assert.equal(rewritten("int", "-1", "double"), "Write -1.0");
  assert.equal(rewritten("uint", "7u", "int"), "Write 7");
  assert.equal(rewritten("double", "3.0", "uint"), "Write 3u");
});

Deno.test("fixHint never writes a number that is another one", () => {
  assert.equal(rewritten("double", "1.5", "int"), "Convert it with int(…)");
  assert.equal(rewritten("int", "-1", "uint"), "Convert it with uint(…)");
  assert.equal(rewritten("int", "0x10", "double"), "Convert it with double(…)");
});

Deno.test("fixHint unwraps, converts, or knows no way", () => {
  const name: Node = { kind: "name", name: "a", offset: 0 };
  assert.equal(
    cure(name, "optional(int)", "int"),
    "Unwrap the value with orValue(…)",
  );
  assert.equal(cure(name, "string", "duration"), "Convert it with duration(…)");
  assert.equal(cure(name, "string", "uint"), undefined);
  assert.equal(cure(name, "uint", "bool"), "Compare it with a value");
  assert.equal(cure(name, "list(int)", "bool"), undefined);
  assert.equal(cure(name, "int", "int"), undefined);
});
