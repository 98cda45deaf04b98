import assert from "node:assert/strict";
import {
  isEmpty,
  mergeRoots,
  nameType,
} from "../../../config/patches/merge.ts";
import {
  boolean,
  int,
  string,
} from "../../../config/documents/scalars/scalars.ts";
import type { Fields, Shape } from "../../../config/documents/schema.ts";
import { free, list, map, struct } from "../../../config/documents/shapes.ts";
import { formatTree, mapIn, treeIn } from "./_trees.ts";

function field(shape: Shape) {
  return { shape, summary: "A field" };
}

const pair = { ...struct({ a: field(string), b: field(string) }) };
const fields: Fields = {
  text: field(string),
  given: { ...field(int), optional: true },
  flag: field(boolean),
  list: field(list(string)),
  swapped: { ...field(list(string)), merge: "replace" },
  keyed: { ...field(list(pair)), merge: ["a", "b"] },
  one: { ...field(list(pair)), merge: ["a"] },
  map: field(map(pair)),
  pair: field({ ...pair, whole: true }),
  free: field(free),
};

function mergeAll(
  left: string,
  right: string,
  known: Fields | undefined = fields,
) {
  const { root, appended } = mergeRoots(mapIn(left), mapIn(right), known);
  return { text: formatTree(root), appended };
}

const cases: readonly (readonly [string, string, string, string])[] = [
  ["sets a text", "text: a", "text: b", "text: b\n"],
  ["keeps a text", "text: a", "text: ''", "text: a\n"],
  ["sets what may be zero", "given: 1", "given: 0", "given: 0\n"],
  ["sets false", "flag: true", "flag: no", "flag: no\n"],
  ["skips null", "text: a", "text: ~\nlist: ~", "text: a\n"],
  ["appends", "list: [a]", "list: [b, ~]", "list:\n    - a\n    - b\n"],
  ["replaces", "swapped: [a]", "swapped: []", "swapped: []\n"],
  [
    "keeps a pair together",
    "pair: {a: x, b: y}",
    "pair: {a: z}",
    "pair:\n    a: z\n",
  ],
  [
    "finds by the first key that the patch has",
    "keyed: [{a: x}, {b: y}]",
    "keyed: [{b: y, a: ''}, {a: x, b: z}]",
    "keyed:\n    - a: x\n      b: z\n    - b: y\n      a: ''\n".replace(
      "''",
      '""',
    ),
  ],
  [
    "finds nothing without keys",
    "keyed: [{a: ''}]",
    "keyed: [{}]",
    'keyed:\n    - a: ""\n    - {}\n',
  ],
  [
    "merges elements of one list that are the same",
    "text: a",
    "keyed: [{a: x}, {a: x, b: y}]",
    "text: a\nkeyed:\n    - a: x\n      b: y\n",
  ],
  [
    "adds null to mappings",
    "map: {a: {a: x}}",
    "map: {a: ~, b: ~}",
    "map:\n    a:\n        a: x\n    b: null\n".replace(" null", " ~"),
  ],
  [
    "adds keys in the order of the patch",
    "free: {z: 1}",
    "free: {b: 2, a: 3}",
    "free:\n    z: 1\n    b: 2\n    a: 3\n",
  ],
];

for (const [name, left, right, expected] of cases) {
  Deno.test(`mergeRoots ${name}`, () => {
    assert.equal(mergeAll(left, right).text, expected);
  });
}

Deno.test("mergeRoots tells which lists grew, in the order of the patch", () => {
  const left = "list: [a]\nkeyed: [{a: x}]\nfree: {a: [1]}\nmap: {k: {a: x}}";
  const right =
    "free: {a: [2, 3]}\nlist: [b]\nkeyed: [{a: x}, {a: y}]\nswapped: [a]";
  assert.deepEqual(mergeAll(left, right).appended, [
    { path: "free.a", count: 2 },
    { path: "list", count: 1 },
    { path: "keyed", count: 1 },
  ]);
});

Deno.test("mergeRoots merges what has no description by what it looks like", () => {
  assert.equal(
    mergeAll("a: [1]\nb: {c: x}\nd: 1", "a: [2]\nb: {e: y}\nd: 0", undefined)
      .text,
    "a:\n    - 1\n    - 2\nb:\n    c: x\n    e: y\nd: 1\n",
  );
});

Deno.test("mergeRoots refuses other types where nothing is described", () => {
  const types = ["[1]", "{b: 1}", "x", "1", "true", "2001-01-01"];
  const names = ["list", "mapping", "text", "number", "truth value", "time"];
  for (const [i, left] of types.entries()) {
    for (const [j, right] of types.entries()) {
      if (i === j) continue;
      assert.throws(
        () => mergeAll(`free: {a: ${left}}`, `free: {a: ${right}}`),
        {
          name: "ConfigError",
          message:
            `Cannot merge free.a ("f", line 1, column 11): the document has a ${
              names[i]
            }, the patch a ${names[j]}`,
        },
      );
    }
  }
});

Deno.test("mergeRoots keeps comments of both", () => {
  assert.equal(
    mergeAll(
      "# one\ntext: a # two\nlist:\n  - a # three\n  # four\n",
      "text: b\nlist:\n  # five\n  - b # six\n  # seven\n",
    ).text,
    "# one\ntext: b # two\nlist:\n    - a # three\n    # five\n    - b # six\n    # four\n    # seven\n",
  );
});

Deno.test("nameType and isEmpty know what values look like", () => {
  const values = ["a", "''", "0", "0x0", "-0.0", "1", "false", "[]", "{}"];
  assert.deepEqual(values.map((text) => nameType(treeIn(text))), [
    ...["text", "text", "number", "number", "number", "number"],
    ...["truth value", "list", "mapping"],
  ]);
  assert.deepEqual(values.map((text) => isEmpty(treeIn(text))), [
    ...[false, true, true, true, true, false, false, false, false],
  ]);
});
