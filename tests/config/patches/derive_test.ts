import assert from "node:assert/strict";
import {
  boolean,
  int,
  string,
} from "../../../config/documents/scalars/scalars.ts";
import type { Fields, Shape } from "../../../config/documents/schema.ts";
import { free, list, map, struct } from "../../../config/documents/shapes.ts";
import { derivePatch } from "../../../config/patches/derive.ts";
import { formatTree, mapIn } from "./_trees.ts";

function field(shape: Shape) {
  return { shape, summary: "A field" };
}

const item = struct({
  name: field(string),
  text: field(string),
  list: field(list(string)),
});
const fields: Fields = {
  text: field(string),
  other: field(string),
  given: { ...field(int), optional: true },
  flag: field(boolean),
  list: field(list(string)),
  swapped: { ...field(list(string)), merge: "replace" },
  keyed: { ...field(list(item)), merge: ["name"] },
  map: field(map(string)),
  nested: field(struct({ deep: field(item) })),
  pair: { ...field({ ...item, whole: true }) },
  free: field(free),
};

function derive(from: string, to: string, known: Fields | undefined = fields) {
  const entries = derivePatch(mapIn(from), mapIn(to), known);
  return entries === undefined ? "" : formatTree({ kind: "map", entries });
}

const cases: readonly (readonly [string, string, string, string])[] = [
  ["nothing", "text: a", "text: a", ""],
  ["a text", "text: a\nother: x", "text: b\nother: x", "text: b\n"],
  ["a new key", "text: a", "text: a\nother: x", "other: x\n"],
  [
    "a key that is gone",
    "text: a\nother: x",
    "text: a",
    "other:\n    $patch: delete\n",
  ],
  [
    "a text that is empty",
    "text: a",
    'text: ""',
    "text:\n    $patch: delete\n",
  ],
  ["zero where absent is not zero", "given: 1", "given: 0", "given: 0\n"],
  ["false", "flag: true", "flag: false", "flag: false\n"],
  ["null", "nested: {}", "nested: ~", "nested:\n    $patch: delete\n"],
  [
    "elements at the end",
    "list: [a]",
    "list: [a, b, c]",
    "list:\n    - b\n    - c\n",
  ],
  [
    "other elements",
    "list: [a, b]",
    "list: [b, c]",
    "list:\n    - $patch: replace\n    - b\n    - c\n",
  ],
  ["no elements", "list: [a]", "list: []", "list:\n    - $patch: replace\n"],
  [
    "a list that is replaced anyway",
    "swapped: [a]",
    "swapped: [a, b]",
    "swapped:\n    - a\n    - b\n",
  ],
  [
    "an element found by its key",
    "keyed: [{name: a, text: x}, {name: b}]",
    "keyed: [{name: a, text: y}, {name: b}]",
    "keyed:\n    - name: a\n      text: y\n",
  ],
  [
    "an element that is gone, and a new one",
    "keyed: [{name: a}, {name: b}]",
    "keyed: [{name: b}, {name: c, text: x}]",
    "keyed:\n    - name: a\n      $patch: delete\n    - name: c\n      text: x\n",
  ],
  [
    "an element that lost a key",
    "keyed: [{name: a, text: x}, {name: b}]",
    "keyed: [{name: a}, {name: b}]",
    "keyed:\n    - $patch: replace\n    - name: a\n    - name: b\n",
  ],
  [
    "elements in another order",
    "keyed: [{name: a}, {name: b}]",
    "keyed: [{name: b}, {name: a}]",
    "keyed:\n    - $patch: replace\n    - name: b\n    - name: a\n",
  ],
  [
    "an element before others",
    "keyed: [{name: a}, {name: b}]",
    "keyed: [{name: c}, {name: a}, {name: b}]",
    "keyed:\n    - $patch: replace\n    - name: c\n    - name: a\n    - name: b\n",
  ],
  [
    "elements with the same key",
    "keyed: [{name: a}]",
    "keyed: [{name: a}, {name: a}]",
    "$patch: replace\nkeyed:\n    - name: a\n    - name: a\n",
  ],
  [
    "keys of a mapping",
    "map: {a: x, b: w, d: text, e: text, f: text}",
    "map: {a: z, c: w, d: text, e: text, f: text}",
    "map:\n    a: z\n    c: w\n    b:\n        $patch: delete\n",
  ],
  [
    "a key of a mapping that became empty",
    "map: {a: x, b: y}",
    'map: {a: "", b: y}',
    'map:\n    $patch: replace\n    a: ""\n    b: y\n',
  ],
  [
    "a mapping that became empty",
    "map: {a: x}",
    "map: {}",
    "map:\n    $patch: replace\n",
  ],
  [
    "something deep",
    "nested: {deep: {name: a, list: [x]}}",
    "nested: {deep: {name: a, list: [x, w]}}",
    "nested:\n    deep:\n        list:\n            - w\n",
  ],
  [
    "less by replacing",
    "map: {a: x, b: x, c: x, d: x}",
    "map: {e: x}",
    "map:\n    $patch: replace\n    e: x\n",
  ],
  [
    "keys that belong together",
    "pair: {name: a, text: b}",
    "pair: {name: a}",
    "pair:\n    name: a\n",
  ],
  [
    "another value in what is left open",
    "free: {a: 1, b: 2}",
    "free: {a: 1, b: 3}",
    "free:\n    b: 3\n",
  ],
  [
    "another type in what is left open",
    "free: {a: 1}",
    "free: {a: x}",
    "free:\n    $patch: replace\n    a: x\n",
  ],
  [
    "zero in what is left open",
    "free: {a: 1}",
    "free: {a: 0}",
    "free:\n    $patch: replace\n    a: 0\n",
  ],
  [
    "null in what is left open",
    "free: {a: 1}",
    "free: {a: 1, b: ~}",
    "free:\n    b: null\n",
  ],
  [
    "null instead of a value in what is left open",
    "free: {a: 1}",
    "free: {a: ~}",
    "free:\n    $patch: replace\n    a: ~\n",
  ],
  [
    "null that is gone",
    "free: {a: ~, b: 1}",
    "free: {b: 1}",
    "free:\n    a:\n        $patch: delete\n",
  ],
];

for (const [name, from, to, expected] of cases) {
  Deno.test(`derivePatch says ${name}`, () => {
    assert.equal(derive(from, to), expected);
  });
}

Deno.test("derivePatch replaces a document it knows nothing about where it must", () => {
  assert.equal(derive("a: 1\nb: 2", "a: 1\nb: 3", undefined), "b: 3\n");
  assert.equal(
    derive("a: 1", "a: [x]", undefined),
    "$patch: replace\na:\n    - x\n",
  );
});
