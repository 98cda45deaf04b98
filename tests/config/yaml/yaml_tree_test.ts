import assert from "node:assert/strict";
import { sameTree, type YamlTree } from "../../../config/yaml/yaml_tree.ts";
import { parseTree } from "../../../config/osconfig/osconfig_yaml.ts";

function same(a: string, b: string): boolean {
  return sameTree(tree(a), tree(b));
}

function tree(text: string): YamlTree {
  return parseTree(text, "f");
}

Deno.test("trees are the same wherever they are and however keys are ordered", () => {
  assert.equal(
    same("a: [b, {c: d}]\ne: ~\n", "# x\ne:\na:\n- b\n- c: d\n"),
    true,
  );
});

Deno.test("trees differ in any part", () => {
  const whole = "a: [b, c]\n";
  for (
    const other of [
      "a: [b]\n",
      "a: [c, b]\n",
      "a: b\n",
      "a: {b: c}\n",
      "x: [b, c]\n",
      "a: [b, c]\nd: e\n",
      "a:\n",
      "a: [b, 'c']\n",
    ]
  ) {
    assert.equal(same(whole, other), false, other);
    assert.equal(same(other, whole), false, other);
  }
});
