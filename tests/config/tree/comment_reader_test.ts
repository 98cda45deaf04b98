import assert from "node:assert/strict";
import type { ConfigNode } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";

/** Comments by path; `^` stands for above, `>` for behind, `_` for below. */
function comments(text: string): Record<string, readonly unknown[]> {
  const found: Record<string, readonly unknown[]> = {};
  function walk(node: ConfigNode, path: string): void {
    if (node.kind === "scalar") return;
    const parts = node.kind === "map"
      ? node.entries.map((entry) => [entry.key, entry] as const)
      : node.items.map((item, index) => [`${index}`, item] as const);
    for (const [name, part] of parts) {
      const at = `${path}/${name}`;
      if (part.before) found[`${at}^`] = part.before;
      if (part.line !== undefined) found[`${at}>`] = [part.line];
      walk(part.value, at);
    }
    if (node.after) found[`${path}_`] = node.after;
  }
  for (const { root, number } of readDocuments(text, "f").documents) {
    walk(root, `${number}`);
  }
  return found;
}

const cases: readonly [
  name: string,
  text: string,
  found: Record<string, readonly unknown[]>,
][] = [
  ["above a key", "# one\n#two\n#\na: 1\n", { "1/a^": ["one", "two", ""] }],
  [
    "above a key, with empty lines",
    "x: 1\n\n# one\n\n# two\n\na: 1\n",
    { "1/a^": [undefined, "one", undefined, "two", undefined] },
  ],
  ["behind a value", "a: 1 # one\nb: 2\n", { "1/a>": ["one"] }],
  ["behind the last value", "a: 1   #  one  ", { "1/a>": [" one"] }],
  ["behind a key", "a: # one\n  b: 1\n", { "1/a>": ["one"] }],
  ["behind the head of a block", "a: | # one\n  # text\n", { "1/a>": ["one"] }],
  ["above a nested key", "a:\n  # one\n  b: 1\n", { "1/a/b^": ["one"] }],
  ["above an item", "a:\n  # one\n  - b\n", { "1/a/0^": ["one"] }],
  ["above an item that is a mapping", "a:\n  # one\n  - b: 1\n    c: 2\n", {
    "1/a/0^": ["one"],
  }],
  ["behind a dash", "a:\n  - # one\n    b: 1\n", { "1/a/0^": ["one"] }],
  ["below nested entries", "a:\n  b: 1\n  # one\nc: 2\n", { "1/a_": ["one"] }],
  ["below, at two depths", "a:\n  b:\n    c: 1\n    # in\n  # out\nd: 2\n", {
    "1/a/b_": ["in"],
    "1/a_": ["out"],
  }],
  ["below an item that is a mapping", "- a: 1\n  # in\n- b: 1\n", {
    "1/0_": ["in"],
  }],
  ["at the depth of the next dash", "- a: 1\n# one\n- b: 1\n", {
    "1/1^": ["one"],
  }],
  ["at the depth of the next key", "a:\n  b: 1\n# one\nc: 2\n", {
    "1/c^": ["one"],
  }],
  ["below everything", "a: 1\n# one\n", { "1_": ["one"] }],
  ["before a document", "# one\n---\na: 1\n---\nb: 2\n", { "1/a^": ["one"] }],
  ["between documents", "a: 1\n# one\n---\n# two\nb: 2\n", {
    "1_": ["one"],
    "2/b^": ["two"],
  }],
  ["behind a marker", "--- # one\na: 1\n", { "1/a^": ["one"] }],
  ["behind a flow collection", "a: [1, {b: 2}] # one\n", { "1/a>": ["one"] }],
  ["inside a flow collection", "a: [1, # one\n  2] # two\n", {
    "1/a/0>": ["one"],
    "1/a>": ["two"],
  }],
  ["not in a value", 'a: b#c\nb: "# x"\nc: "#"\n', {}],
  ["with Windows line ends", "a: 1 # one\r\n# two\r\nb: 2\r\n", {
    "1/a>": ["one"],
    "1/b^": ["two"],
  }],
  ["of a missing value", "a: # one\nb: 1\n", { "1/a>": ["one"] }],
];

for (const [name, text, found] of cases) {
  Deno.test(`a comment ${name} is found`, () => {
    assert.deepEqual(comments(text), found);
  });
}
