import assert from "node:assert/strict";
import { fixHint } from "../../../config/expressions/fix_hint.ts";
import type { Literal, Node } from "../../../config/expressions/syntax.ts";
import { readType } from "../../../config/expressions/types.ts";

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
  assert.equal(rewritten("int", "5", "duration"), 'Write duration("5s")');
  assert.equal(rewritten("int", "5", "string"), 'Write "5"');
});

Deno.test("fixHint never writes a number that is another one", () => {
  assert.equal(rewritten("double", "1.5", "int"), "Convert it with int(…)");
  assert.equal(rewritten("int", "-1", "uint"), "Convert it with uint(…)");
  assert.equal(rewritten("int", "0x10", "double"), "Convert it with double(…)");
});

Deno.test("fixHint takes quotes off what needs none", () => {
  assert.equal(rewritten("string", "'true'", "bool"), "Write true");
  assert.equal(rewritten("string", "'12'", "uint"), "Write 12u");
  assert.equal(rewritten("string", "'1.5'", "double"), "Write 1.5");
  assert.equal(rewritten("string", '"10 GiB"', "uint"), "Write 10u * GiB");
  assert.equal(rewritten("string", "'5s'", "duration"), "Write duration('5s')");
  assert.equal(
    rewritten("string", "'yes'", "bool"),
    "Compare it with a string",
  );
});

Deno.test("fixHint finds the numbers in a calculation", () => {
  const name: Node = { kind: "name", name: "a", offset: 0 };
  const args = [name, literal("int", "5")];
  const sum: Node = { kind: "call", name: "_+_", args, offset: 0 };
  assert.equal(cure(sum, "int", "uint"), "Write its numbers as 5u");
  const call: Node = { ...sum, name: "f" };
  assert.equal(cure(call, "int", "uint"), "Convert it with uint(…)");
});

Deno.test("fixHint unwraps, compares, converts, or knows no way", () => {
  const name: Node = { kind: "name", name: "a", offset: 0 };
  assert.equal(
    cure(name, "optional(int)", "int"),
    "Unwrap the value with orValue(…)",
  );
  assert.equal(cure(name, "uint", "bool"), "Compare it with a number");
  assert.equal(
    cure(name, "bool", "double"),
    'Choose a number with "?" and ":"',
  );
  assert.equal(cure(name, "timestamp", "string"), "Convert it with string(…)");
  assert.equal(cure(name, "list(int)", "bool"), undefined);
  assert.equal(cure(name, "int", "int"), undefined);
});
