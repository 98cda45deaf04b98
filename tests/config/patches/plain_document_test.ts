import assert from "node:assert/strict";
import { applyOperations } from "../../../config/patches/plain_document.ts";
import type { Operation } from "../../../config/patches/json_patch.ts";
import { treeOf } from "../../../config/tree/node.ts";
import { ConfigError } from "../../../errors.ts";

const text = "a: 1 # one\nlist:\n    - x\n";

function replace(path: readonly string[], value: number): Operation {
  return { op: "replace", path, from: [], value: treeOf(value) };
}

Deno.test("applyOperations changes a document and keeps its comments", () => {
  assert.equal(
    applyOperations(text, "it", [
      replace(["a"], 2),
      { op: "add", path: ["list", "-"], from: [], value: treeOf("y") },
    ]),
    'a: 2 # one\nlist:\n    - x\n    - "y"\n',
  );
});

Deno.test("applyOperations gives the same text back when nothing changes", () => {
  const odd = "a:    1\n";
  assert.equal(applyOperations(odd, "it", [replace(["a"], 1)]), odd);
});

Deno.test("applyOperations takes one document only", () => {
  assert.throws(() => applyOperations("", "it", []), ConfigError);
  assert.throws(
    () => applyOperations("a: 1\n---\nb: 1\n", "it", []),
    ConfigError,
  );
});
