import assert from "node:assert/strict";
import {
  type DirectiveStep,
  readDirectives,
  remove,
  stepsText,
} from "../../../config/patches/directives.ts";
import { ConfigError } from "../../../errors.ts";
import { formatTree, mapIn, treeIn } from "./_trees.ts";

function read(text: string) {
  const { root, removals, document } = readDirectives(mapIn(text));
  return {
    rest: formatTree(root),
    removals: removals.map(({ path, replaced }) =>
      `${replaced ? "replace" : "delete"} ${stepsText(path)}`
    ),
    document,
  };
}

const cases: readonly (readonly [string, string, ReturnType<typeof read>])[] = [
  ["nothing", "a: {b: [1]}", {
    rest: "a:\n    b:\n        - 1\n",
    removals: [],
    document: undefined,
  }],
  ["a document to delete", "a: 1\n$patch: delete", {
    rest: "",
    removals: [],
    document: "delete",
  }],
  ["a document to replace", "$patch: replace\na: 1", {
    rest: "a: 1\n",
    removals: [],
    document: "replace",
  }],
  [
    "keys to delete, which leave nothing behind",
    "a: {b: {$patch: delete}, c: {d: {$patch: delete}}}",
    { rest: "", removals: ["delete a.b", "delete a.c.d"], document: undefined },
  ],
  [
    "a key to delete among others",
    "a: {b: {$patch: delete, x: y}, c: 1}\nd: {}",
    {
      rest: "a:\n    c: 1\nd: {}\n",
      removals: ["delete a.b"],
      document: undefined,
    },
  ],
  [
    "a mapping to replace, with marks in it",
    "a: {$patch: replace, b: 1, c: {$patch: delete}}",
    {
      rest: "a:\n    b: 1\n",
      removals: ["replace a", "delete a.c"],
      document: undefined,
    },
  ],
  ["a mapping to empty", "a: {$patch: replace}", {
    rest: "a: {}\n",
    removals: ["replace a"],
    document: undefined,
  }],
  [
    "elements to delete",
    "a: [{b: x, $patch: delete}, {$patch: delete, c: 1, b: x}, d]",
    {
      rest: "a:\n    - d\n",
      removals: ["delete a[b=x]", "delete a[c=1]"],
      document: undefined,
    },
  ],
  ["an element to replace", "a: [{b: x, $patch: replace, c: y}]", {
    rest: "a:\n    - b: x\n      c: y\n",
    removals: ["replace a[b=x]"],
    document: undefined,
  }],
  ["a list to replace", "a: [{$patch: replace}, b]", {
    rest: "a:\n    - b\n",
    removals: ["replace a"],
    document: undefined,
  }],
  ["a list to empty", "a: [{$patch: replace}]", {
    rest: "a: []\n",
    removals: ["replace a"],
    document: undefined,
  }],
];

for (const [name, text, expected] of cases) {
  Deno.test(`readDirectives finds ${name}`, () => {
    assert.deepEqual(read(text), expected);
  });
}

const inside = "Replace the whole list or element";
const refused: readonly (readonly [string, string, string])[] = [
  [
    "a: {$patch: merge}",
    'Cannot apply the patch ("f", line 1, column 5): $patch is neither delete nor replace',
    "Write $patch: delete or $patch: replace",
  ],
  [
    "$patch: [delete]",
    'Cannot apply the patch ("f", line 1, column 1): $patch is neither delete nor replace',
    "Write $patch: delete or $patch: replace",
  ],
  [
    "a: [{b: {$patch: delete}}]",
    'Cannot apply $patch: delete inside an element of a list ("f", line 1, column 9)',
    inside,
  ],
  [
    "a: [{b: [{c: d, $patch: replace}]}]",
    'Cannot apply $patch: replace inside an element of a list ("f", line 1, column 10)',
    inside,
  ],
  [
    "a: [{$patch: delete}]",
    'Cannot tell which element to delete ("f", line 1, column 5)',
    "Give one of its keys and values next to $patch: delete",
  ],
];

for (const [text, message, hint] of refused) {
  Deno.test(`readDirectives refuses ${text}`, () => {
    assert.throws(() => read(text), new ConfigError(message, { hint }));
  });
}

function removeFrom(
  text: string,
  ...path: readonly DirectiveStep[]
): string | undefined {
  const root = remove(mapIn(text), path);
  return root && formatTree(root);
}

Deno.test("remove takes out keys and elements", () => {
  assert.equal(removeFrom("a: {b: 1, c: 2}", "a", "b"), "a:\n    c: 2\n");
  assert.equal(removeFrom("a: {b: 1}", "a", "b"), "a: {}\n");
  const step = (value: string) => ({ key: "k", value: treeIn(value) });
  assert.equal(
    removeFrom("a: [{k: 1}, x, {k: 2}, {k: 2, m: 3}]", "a", step("0x2")),
    "a:\n    - k: 1\n    - x\n    - k: 2\n      m: 3\n",
  );
  assert.equal(removeFrom("a: [{k: 017}]", "a", step("'017'")), "a: []\n");
});

Deno.test("remove keeps comments of everything else", () => {
  assert.equal(
    removeFrom(
      "# one\na: # two\n  # three\n  b: 1 # four\n  # five\n  c: 2\n",
      "a",
      "b",
    ),
    "# one\na: # two\n    # five\n    c: 2\n",
  );
});

Deno.test("stepsText shows keys, and elements by what they are found by", () => {
  const step = (value: string) => ({ key: "n", value: treeIn(value) });
  assert.equal(stepsText(["a", step("x"), "b"]), "a[n=x].b");
  assert.equal(stepsText(["a", step("{x: y}")]), "a[n=…]");
});
