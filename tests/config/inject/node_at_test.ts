import assert from "node:assert/strict";
import { isMap, isScalar, parseDocument } from "yaml";
import { nodeAt, pairAt } from "../../../config/inject/node_at.ts";

const { contents } = parseDocument("a: [{b: c}]\n1: d\nx: &x [e]\ny: *x\n");

function textAt(path: readonly (string | number)[]): unknown {
  const node = nodeAt(contents, path);
  return isScalar(node) ? node.value : undefined;
}

Deno.test("nodeAt finds what is written, and follows no alias", () => {
  assert.equal(textAt(["a", 0, "b"]), "c");
  assert.equal(textAt(["1"]), "d");
  assert.equal(textAt(["x", 0]), "e");
  assert.equal(textAt(["y", 0]), undefined);
  assert.equal(textAt(["a", "b"]), undefined);
  assert.equal(textAt([0]), undefined);
});

Deno.test("pairAt finds a key by its text", () => {
  if (!isMap(contents)) throw new Error("expected a mapping");
  assert.equal(pairAt(contents, "1"), contents.items[1]);
  assert.equal(pairAt(contents, "z"), undefined);
});
