import assert from "node:assert/strict";
import {
  findChild,
  isNull,
  toTree,
  withoutComments,
} from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { writeTree } from "../../../config/tree/write.ts";

Deno.test("toTree omits what is undefined and keeps texts texts", () => {
  const tree = toTree({ a: "1", b: undefined, c: [true, null, 2] });
  assert.deepEqual(tree, {
    kind: "map",
    entries: [
      { key: "a", value: { kind: "scalar", text: "1", plain: false } },
      {
        key: "c",
        value: {
          kind: "list",
          items: [
            { value: { kind: "scalar", text: "true", plain: true } },
            { value: { kind: "scalar", text: "null", plain: true } },
            { value: { kind: "scalar", text: "2", plain: true } },
          ],
        },
      },
    ],
  });
});

Deno.test("isNull takes plain words for null, quoted ones for texts", () => {
  const words = ["", "~", "null", "Null", "NULL"];
  for (const text of words) {
    assert.ok(isNull({ kind: "scalar", text, plain: true }));
    assert.ok(!isNull({ kind: "scalar", text, plain: false }));
  }
  assert.ok(isNull(undefined));
  assert.ok(!isNull(toTree({})));
});

Deno.test("findChild finds keys of mappings only", () => {
  const tree = toTree({ a: "x" });
  assert.deepEqual(findChild(tree, "a"), toTree("x"));
  assert.equal(findChild(tree, "b"), undefined);
  assert.equal(findChild(toTree(["a"]), "a"), undefined);
});

Deno.test("withoutComments is zero but the values", () => {
  const text = `# 1
a: # 2
    # 3
    - b # 4

    # 5
    - c: 1 # 6
      # 7
    # 8
# 9
d: "#" # 10
e: # 11
# 12
`;
  const [document] = readDocuments(text, "f").documents;
  assert.ok(document?.root.kind === "map");
  assert.equal(
    writeTree(withoutComments(document.root)),
    "a:\n    - b\n    - c: 1\nd: '#'\ne:\n",
  );
});

Deno.test("withoutComments keeps places", () => {
  const [document] = readDocuments("# 1\na:\n  - b: c\n", "f").documents;
  const [plain] = readDocuments("\na:\n  - b: c\n", "f").documents;
  assert.ok(document?.root.kind === "map");
  assert.deepEqual(withoutComments(document.root), plain?.root);
});
