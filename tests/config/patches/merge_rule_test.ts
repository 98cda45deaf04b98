import assert from "node:assert/strict";
import { string } from "../../../config/documents/scalars/scalars.ts";
import { free, list, map, struct } from "../../../config/documents/shapes.ts";
import {
  findRules,
  freeRule,
  rulesIn,
} from "../../../config/patches/merge_rule.ts";

const name = { shape: string, summary: "A name" };

Deno.test("keys that are known have their field's rule, others none", () => {
  for (const rules of [findRules({ name }), rulesIn(struct({ name }))]) {
    assert.equal(rules("name"), name);
    assert.equal(rules("other"), freeRule);
  }
  assert.equal(findRules(undefined)("name"), freeRule);
});

Deno.test("values of mappings have the mapping's rule whatever their key", () => {
  assert.deepEqual(rulesIn(map(string))("a"), { shape: string, inMap: true });
  assert.equal(rulesIn(free)("a"), freeRule);
  assert.equal(rulesIn(list(string))("a"), freeRule);
});
