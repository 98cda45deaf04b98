import assert from "node:assert/strict";
import type { ConfigNode } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { sameValue } from "../../../config/tree/same_value.ts";

function node(text: string): ConfigNode {
  const [document] = readDocuments(`v: ${text}`, "f").documents;
  assert.ok(document?.root.kind === "map");
  const [entry] = document.root.entries;
  assert.ok(entry !== undefined);
  return entry.value;
}

const same = [
  ["a", '"a"'],
  ["0x10", "16"],
  ["1.50", "1.5"],
  ["~", "null"],
  ["True", "true"],
  ["yes", "'yes'"],
  ["[a, {b: c}]", "[a, {b: c}] # here"],
  ["{a: 1, b: 2}", "{b: 0b10, a: 1}"],
  ["[]", "[]"],
] as const;

const different = [
  ["1", '"1"'],
  ["true", '"true"'],
  ["~", '""'],
  ["a", "b"],
  ["1", "1.5"],
  ["[a, b]", "[b, a]"],
  ["[a]", "[a, a]"],
  ["{a: 1}", "{a: 1, b: 2}"],
  ["{a: 1, c: 2}", "{a: 1, b: 2}"],
  ["[]", "{}"],
  ["a", "[a]"],
  ["{a: ~}", "{}"],
] as const;

Deno.test("values that differ in spelling and order of keys are the same", () => {
  for (const [a, b] of same) {
    assert.ok(sameValue(node(a), node(b)), `${a} and ${b}`);
    assert.ok(sameValue(node(b), node(a)), `${b} and ${a}`);
  }
});

Deno.test("values of other types, lengths, keys and orders are different", () => {
  for (const [a, b] of different) {
    assert.ok(!sameValue(node(a), node(b)), `${a} and ${b}`);
    assert.ok(!sameValue(node(b), node(a)), `${b} and ${a}`);
  }
});
