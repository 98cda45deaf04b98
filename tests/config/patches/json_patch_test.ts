import assert from "node:assert/strict";
import {
  applyOperation,
  applyOperations,
  type PatchOperation,
  readOperations,
  replacesNothing,
} from "../../../config/patches/json_patch.ts";
import { toTree } from "../../../config/tree/node.ts";
import { ConfigError } from "../../../errors.ts";
import { formatTree, treeIn } from "./_trees.ts";

function operations(text: string) {
  const list = treeIn(text, "p");
  assert.ok(list.kind === "list");
  return readOperations(list);
}

function apply(text: string, patch: string): string {
  return formatTree(operations(patch).reduce(applyOperation, treeIn(text)));
}

const cases: readonly (readonly [string, string, string, string])[] = [
  [
    "adds a key",
    "a: 1",
    "{op: add, path: /b, value: [x]}",
    "a: 1\nb:\n    - x\n",
  ],
  ["adds over a key", "a: 1", "{op: add, path: /a, value: 2}", "a: 2\n"],
  [
    "adds into a list",
    "a: [x, z]",
    "{op: add, path: /a/1, value: y}",
    "a:\n    - x\n    - y\n    - z\n",
  ],
  [
    "adds to the end of a list",
    "a: [x]",
    "{op: add, path: /a/-, value: y}",
    "a:\n    - x\n    - y\n",
  ],
  [
    "adds behind the last element",
    "a: [x]",
    "{op: add, path: /a/1, value: y}",
    "a:\n    - x\n    - y\n",
  ],
  [
    "adds at a place counted from the end",
    "a: [x]",
    "{op: add, path: /a/-1, value: y}",
    "a:\n    - x\n    - y\n",
  ],
  ["adds null", "a: 1", "{op: add, path: /b, value: }", "a: 1\nb:\n"],
  ["adds at the root", "a: 1", "{op: add, path: '', value: {b: 1}}", "b: 1\n"],
  ["removes a key", "a: 1\nb: 2", "{op: remove, path: /a}", "b: 2\n"],
  [
    "removes an element",
    "a: [x, y]",
    "{op: remove, path: /a/0}",
    "a:\n    - y\n",
  ],
  [
    "removes the last element",
    "a: [x, y]",
    "{op: remove, path: /a/-1}",
    "a:\n    - x\n",
  ],
  [
    "replaces a key",
    "a: {b: 1}",
    "{op: replace, path: /a/b, value: {c: d}}",
    "a:\n    b:\n        c: d\n",
  ],
  [
    "replaces an element",
    "a: [x, y]",
    "{op: replace, path: /a/1, value: z}",
    "a:\n    - x\n    - z\n",
  ],
  [
    "replaces a key that is not there",
    "a: {}",
    "{op: replace, path: /a/b, value: 1}",
    "a:\n    b: 1\n",
  ],
  [
    "moves",
    "a: {b: 1}\nc: [x]",
    "{op: move, from: /a/b, path: /c/0}",
    "a: {}\nc:\n    - 1\n    - x\n",
  ],
  [
    "copies",
    "a: {b: 1}",
    "{op: copy, from: /a, path: /c}",
    "a:\n    b: 1\nc:\n    b: 1\n",
  ],
  [
    "knows escapes",
    "a/b: 1\nm~n: 2",
    "{op: remove, path: /a~1b}, {op: replace, path: /m~0n, value: 3}",
    "m~n: 3\n",
  ],
  ["unescapes once", "~1: a", "{op: remove, path: /~01}", "{}\n"],
  [
    "knows empty keys",
    '"": {"": 1}',
    "{op: replace, path: //, value: 2}",
    '"":\n    "": 2\n',
  ],
  [
    "tests values",
    "a: 0x10\nb: [x, {c: ~}]",
    "{op: test, path: /a, value: 16}, {op: test, path: /b, value: [x, {c: null}]}",
    "a: 0x10\nb:\n    - x\n    - c: ~\n",
  ],
  [
    "reads JSON",
    "a: 1",
    '{"op": "add", "path": "/b", "value": "\\u00e9\\/\\ud83d\\ude00"}',
    'a: 1\nb: "é/\\U0001F600"\n',
  ],
];

for (const [name, text, patch, expected] of cases) {
  Deno.test(`a JSON patch ${name}`, () => {
    assert.equal(apply(text, `[${patch}]`), expected);
  });
}

Deno.test("a JSON patch keeps comments of everything else, and those of what it replaces", () => {
  const text =
    "# one\na: 1 # two\n# three\nb: # four\n  # five\n  - x # six\n  - y\n";
  const patch =
    "[{op: replace, path: /a, value: 2}, {op: replace, path: /b/0, value: z}, {op: add, path: /b/1, value: n}]";
  assert.equal(
    apply(text, patch),
    "# one\na: 2 # two\n# three\nb: # four\n    # five\n    - z # six\n    - n\n    - y\n",
  );
});

const paths =
  "Paths start at the root of the document; list elements are numbered from 0";
const failing: readonly (readonly [string, string, string])[] = [
  ["{op: remove, path: /x}", "remove finds no value at /x", paths],
  ["{op: add, path: /x/y, value: 1}", "add finds no value at /x", paths],
  ["{op: add, path: /a/y, value: 1}", "add finds no value at /a/y", paths],
  ["{op: add, path: /l/3, value: 1}", "add finds no value at /l/3", paths],
  ["{op: add, path: /l/01, value: 1}", "add finds no value at /l/01", paths],
  [
    "{op: replace, path: /l/2, value: 1}",
    "replace finds no value at /l/2",
    paths,
  ],
  ["{op: remove, path: /l/-}", "remove finds no value at /l/-", paths],
  ["{op: remove, path: /l/-3}", "remove finds no value at /l/-3", paths],
  ["{op: copy, from: /x~1y, path: /b}", "copy finds no value at /x~1y", paths],
  ["{op: move, from: /m, path: /m/n}", "move finds no value at /m", paths],
  ["{op: test, path: /x, value: ~}", "test finds no value at /x", paths],
  [
    "{op: test, path: /a, value: '1'}",
    "the value at /a is different",
    "Nothing was changed",
  ],
  [
    "{op: test, path: '', value: 1}",
    'the value at "" is different',
    "Nothing was changed",
  ],
  [
    "{op: remove, path: /x, document: K/n}",
    "remove finds no value at /x in K/n",
    paths,
  ],
];

for (const [patch, fault, hint] of failing) {
  Deno.test(`the JSON patch ${patch} fails`, () => {
    assert.throws(
      () => apply("a: 1\nl: [x, y]\nm: {n: {}}", `[${patch}]`),
      new ConfigError(
        `Cannot apply JSON patch "p" at line 1, column 2: ${fault}`,
        { hint },
      ),
    );
  });
}

const verbs = "Operations are add, remove, replace, move, copy, test";
const wrong: readonly (readonly [string, string, string])[] = [
  ["{path: /a}", '"op" is missing', verbs],
  ["{op: merge, path: /a}", 'unknown operation "merge"', verbs],
  ["a", '"op" is missing', verbs],
  ["{op: add, path: /a}", '"value" is missing', "Give add a value"],
  [
    "{op: remove}",
    '"path" is missing',
    "Give a path such as /machine/network/hostname",
  ],
  [
    "{op: remove, path: a}",
    '"a" does not start with "/"',
    "Give a path such as /machine/network/hostname",
  ],
  [
    "{op: move, path: /a}",
    '"from" is missing',
    "Give a from such as /machine/network/hostname",
  ],
];

for (const [patch, fault, hint] of wrong) {
  Deno.test(`readOperations refuses ${patch}`, () => {
    assert.throws(
      () => operations(`[${patch}]`),
      new ConfigError(
        `Cannot apply JSON patch "p" at line 1, column 2: ${fault}`,
        { hint },
      ),
    );
  });
}

Deno.test("replacesNothing is about replacing alone", () => {
  const root = treeIn("a: [1]");
  const found = operations(
    "[{op: replace, path: /b, value: 1}, {op: replace, path: /a/0, value: 1}, {op: add, path: /b, value: 1}]",
  );
  assert.deepEqual(found.map((one) => replacesNothing(root, one)), [
    true,
    false,
    false,
  ]);
});

const text = "a: 1 # one\nlist:\n    - x\n";

function replace(path: readonly string[], value: number): PatchOperation {
  return { op: "replace", path, from: [], value: toTree(value) };
}

Deno.test("applyOperations changes a document and keeps its comments", () => {
  assert.equal(
    applyOperations(text, "it", [
      replace(["a"], 2),
      { op: "add", path: ["list", "-"], from: [], value: toTree("y") },
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
