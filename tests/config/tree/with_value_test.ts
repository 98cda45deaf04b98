import assert from "node:assert/strict";
import { type MapNode, toTree } from "../../../config/tree/node.ts";
import { withValue } from "../../../config/tree/with_value.ts";
import { writeTree } from "../../../config/tree/write.ts";

const root = toTree({ a: { b: "x", c: "w" }, d: "z" }) as MapNode; // it is one

Deno.test("a value takes the place of another, or comes behind the others", () => {
  const value = toTree("new");
  assert.equal(
    writeTree(withValue(root, ["a", "b"], value)),
    "a:\n    b: new\n    c: w\nd: z\n",
  );
  assert.equal(
    writeTree(withValue(root, ["e", "f"], value)),
    "a:\n    b: x\n    c: w\nd: z\ne:\n    f: new\n",
  );
  assert.equal(
    writeTree(withValue(root, ["d", "f"], value)),
    "a:\n    b: x\n    c: w\nd:\n    f: new\n",
  );
});

Deno.test("a value is removed, and what is not there stays away", () => {
  assert.equal(
    writeTree(withValue(root, ["a", "b"], undefined)),
    "a:\n    c: w\nd: z\n",
  );
  assert.deepEqual(withValue(root, ["x", "b"], undefined), root);
  assert.deepEqual(withValue(root, ["d", "b"], undefined), root);
  assert.deepEqual(withValue(root, ["a", "q"], undefined), root);
});
