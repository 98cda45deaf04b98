import assert from "node:assert/strict";
import fc from "fast-check";
import { FAILSAFE_SCHEMA, load } from "js-yaml";
import {
  type ConfigNode,
  type MapEntry,
  type Plain,
  toTree,
} from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { writeDocuments, writeTree } from "../../../config/tree/write.ts";

const layouts: readonly (readonly [name: string, Plain, string])[] = [
  ["a scalar", "a", "a\n"],
  ["nothing", null, "null\n"],
  ["an empty mapping", {}, "{}\n"],
  ["an empty sequence", [], "[]\n"],
  ["numbers and truth values", [1, true, null], "- 1\n- true\n- null\n"],
  ["an empty text", { a: "" }, 'a: ""\n'],
  ["keys", { a: "b", "1": "c" }, '"1": c\na: b\n'],
  [
    "a mapping in a mapping",
    { a: { b: { c: 1 } } },
    "a:\n    b:\n        c: 1\n",
  ],
  ["a sequence in a mapping", { a: ["b"] }, "a:\n    - b\n"],
  ["empty collections", { a: [], b: {} }, "a: []\nb: {}\n"],
  ["empty collections in a sequence", [[], {}], "- []\n- {}\n"],
  ["a sequence in a sequence", [["a", "b"], ["c"]], "- - a\n  - b\n- - c\n"],
  ["three sequences", { a: [[["b", "c"]]] }, "a:\n    - - - b\n        - c\n"],
  ["a mapping in a sequence", [{ a: 1, b: 2 }], "- a: 1\n  b: 2\n"],
  [
    "what is nested in an item, at the next multiple of four",
    { list: [{ name: "x", sub: { a: 1 }, more: [2] }] },
    "list:\n    - name: x\n      sub:\n        a: 1\n      more:\n        - 2\n",
  ],
  [
    "what is nested deeper in an item",
    { a: { b: [{ c: { d: [{ e: { f: 1 } }] } }] } },
    "a:\n    b:\n        - c:\n            d:\n                - e:\n" +
    "                    f: 1\n",
  ],
  [
    "a mapping in two sequences",
    [[{ a: 1, b: { c: 2 } }]],
    "- - a: 1\n    b:\n        c: 2\n",
  ],
  ["lines", { a: "b\nc" }, "a: |-\n    b\n    c\n"],
  ["lines with an end", { a: "b\nc\n" }, "a: |\n    b\n    c\n"],
  ["lines with several ends", { a: "b\n\n" }, "a: |+\n    b\n\n"],
  ["empty lines inside", { a: "b\n\nc\n" }, "a: |\n    b\n\n    c\n"],
  ["lines in an item", ["a\nb"], "- |-\n  a\n  b\n"],
  ["lines at the root", "a\nb", "|-\n    a\n    b\n"],
  ["lines behind an item's key", [{ a: "b\nc" }], "- a: |-\n    b\n    c\n"],
  ["an empty line first", { a: "\nb" }, "a: |4-\n\n    b\n"],
  ["a space first", { a: " b\nc\n" }, "a: |4\n     b\n    c\n"],
  // Nodes cannot read what their own writer makes of the next three.
  ["a tab first", { a: "\tb\nc" }, "a: |4-\n    \tb\n    c\n"],
  ["a space first in an item", [" a\nb"], "- |2-\n   a\n  b\n"],
  ["a space first at odd depth", [{ a: "\nb" }], "- a: |2-\n\n    b\n"],
  // Readers disagree about indentation at the root.
  ["a space first at the root", " a\nb", '" a\\nb"\n'],
  ["a quoted key", { "a: b": 1 }, "'a: b': 1\n"],
  ["a key with escapes", { "a\tb": 1 }, '"a\\tb": 1\n'],
  ["an empty key", { "": 1 }, '"": 1\n'],
  ["a key that is a word of YAML", { on: 1 }, '"on": 1\n'],
  ["a key of lines", { "a\nb": "c" }, "? |-\n    a\n    b\n: c\n"],
  ["a key that is a line break", { "\n": [] }, '? "\\n"\n: []\n'],
  [
    "a mapping behind a key of lines",
    { "a\nb": { c: 1, d: [2] } },
    "? |-\n    a\n    b\n:   c: 1\n    d:\n        - 2\n",
  ],
  [
    "a sequence behind a key of lines",
    [{ "a\n": ["b", { c: 1 }] }],
    "- ? |\n    a\n  : - b\n    - c: 1\n",
  ],
  [
    "lines behind a key of lines",
    { "a\nb": "c\nd" },
    "? |-\n    a\n    b\n: |-\n    c\n    d\n",
  ],
  [
    "a key of 128 bytes",
    { ["é".repeat(64)]: 1 },
    `${"é".repeat(64)}: 1\n`,
  ],
  [
    "a key of 129 bytes",
    { [`${"é".repeat(64)}a`]: 1 },
    `? ${"é".repeat(64)}a\n: 1\n`,
  ],
  [
    "a long key in quotes",
    { [`${"x".repeat(129)}: `]: { a: 1 } },
    `? '${"x".repeat(129)}: '\n:   a: 1\n`,
  ],
  [
    "long lines",
    { a: "word ".repeat(60) + "end" },
    `a: ${"word ".repeat(60)}end\n`,
  ],
];

for (const [name, value, text] of layouts) {
  Deno.test(`the writer lays out ${name}`, () => {
    assert.equal(writeTree(toTree(value)), text);
  });
}

Deno.test("the writer leaves what is not a text as it is", () => {
  const entries = ["0o644", "", "1.50"].map((text, index) => ({
    key: `k${index}`,
    value: { kind: "scalar", text, plain: true } as const,
  }));
  assert.equal(
    writeTree({ kind: "map", entries }),
    "k0: 0o644\nk1:\nk2: 1.50\n",
  );
});

Deno.test("documents stand between markers", () => {
  const documents = [toTree({ a: "x\n\n" }), toTree(["b"]), toTree({})];
  assert.equal(
    writeDocuments(documents),
    "a: |+\n    x\n\n---\n- b\n---\n{}\n",
  );
  assert.equal(writeDocuments([]), "");
});

const one = toTree(1);

const commented: readonly (readonly [string, ConfigNode, string])[] = [
  [
    "above an entry",
    map({ key: "a", value: one, before: ["x", "", undefined, "y"] }),
    "# x\n#\n\n# y\na: 1\n",
  ],
  [
    "above a nested entry",
    map({ key: "a", value: map({ key: "b", value: one, before: ["x"] }) }),
    "a:\n    # x\n    b: 1\n",
  ],
  ["behind a value", map({ key: "a", value: one, line: "x" }), "a: 1 # x\n"],
  [
    "behind a missing value",
    map({
      key: "a",
      value: { kind: "scalar", text: "", plain: true },
      line: "x",
    }),
    "a: # x\n",
  ],
  [
    "behind the key of a mapping",
    map({ key: "a", value: toTree({ b: 1 }), line: "x" }),
    "a: # x\n    b: 1\n",
  ],
  [
    "behind an empty collection",
    map({ key: "a", value: toTree([]), line: "x" }),
    "a: [] # x\n",
  ],
  [
    "behind the head of a block",
    map({ key: "a", value: toTree("b\nc"), line: "x" }),
    "a: |- # x\n    b\n    c\n",
  ],
  [
    "below entries",
    map({
      key: "a",
      value: { ...map({ key: "b", value: one }), after: ["x"] },
    }),
    "a:\n    b: 1\n    # x\n",
  ],
  [
    "below an empty collection, where its key is",
    map({
      key: "a",
      value: map({ key: "b", value: { ...map(), after: [undefined, "x"] } }),
    }),
    "a:\n    b: {}\n\n    # x\n",
  ],
  [
    "above an item",
    { kind: "list", items: [{ value: toTree({ a: 1 }), before: ["x"] }] },
    "# x\n- a: 1\n",
  ],
  [
    "behind a dash",
    { kind: "list", items: [{ value: toTree({ a: 1 }), line: "x" }] },
    "- # x\n  a: 1\n",
  ],
  [
    "above the first key of an item",
    {
      kind: "list",
      items: [{
        value: map({ key: "a", value: one, before: [undefined, "x", "y"] }),
      }],
    },
    "- # x\n  # y\n  a: 1\n",
  ],
  [
    "above the first item of an item",
    {
      kind: "list",
      items: [{
        value: { kind: "list", items: [{ value: one, before: ["x"] }] },
        line: "y",
      }],
    },
    "- # y\n  # x\n  - 1\n",
  ],
  [
    "behind a key of lines",
    map({ key: "a\nb", value: toTree({ c: 1 }), before: ["x"], line: "y" }),
    "# x\n? |-\n    a\n    b\n: # y\n    c: 1\n",
  ],
  [
    "below a block that keeps empty lines, without one in between",
    {
      ...map({ key: "a", value: toTree("b\n\n") }, {
        key: "c",
        value: toTree("d\n\n"),
        before: [undefined, "x", undefined],
      }),
      after: [undefined, "y", undefined],
    },
    "a: |+\n    b\n\n# x\n\nc: |+\n    d\n\n# y\n\n",
  ],
  [
    "with characters that end lines or files",
    map({ key: "a", value: one, line: "x\x85y\u2028z\0\u{1f600}\t" }),
    "a: 1 # x y z \u{1f600}\t\n",
  ],
];

for (const [name, node, text] of commented) {
  Deno.test(`the writer puts comments ${name}`, () => {
    assert.equal(writeTree(node), text);
  });
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...[
      "a",
      "1",
      " ",
      "\n",
      ":",
      "#",
      "-",
      "?",
      "\t",
      "'",
      '"',
      "\\",
      "e",
      "_",
      ".",
      "\x85",
      "\u2028",
      "\ufeff",
      "|",
      "y",
      "0",
      "x",
    ]),
    maxLength: 12,
  }),
);

const { value: anyValue } = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const lines = fc.option(
  fc.array(fc.option(text.map(oneLine), { nil: undefined }), { maxLength: 3 }),
  { nil: undefined },
);

Deno.test("a reader finds the texts that were written", () => {
  fc.assert(fc.property(anyValue, (value) => {
    const written = writeTree(toTree(value));
    assert.deepEqual(load(written, { schema: FAILSAFE_SCHEMA }), value);
    const [document] = readDocuments(written, "f").documents;
    if (document !== undefined) assert.equal(writeTree(document.root), written);
  }));
});

Deno.test("no text is taken for a number, a date or a truth value", () => {
  const few = fc.string({
    unit: fc.constantFrom(..."0123456789abcefxno_.+-:~yTZtrul"),
    maxLength: 8,
  });
  // Numbers beyond any range are read as such by some.
  const short = few.filter((value) => !/e\+?\d{3}/.test(value));
  fc.assert(fc.property(short, (value) => {
    assert.deepEqual(load(writeTree(toTree([value]))), [value]);
  }));
});

Deno.test("comments never change what is read", () => {
  fc.assert(fc.property(anyValue, fc.gen(), (value, draw) => {
    const node = comment(toTree(value), () => draw(() => lines));
    const written = writeTree(node);
    assert.deepEqual(load(written, { schema: FAILSAFE_SCHEMA }), value);
  }));
});

function map(...entries: readonly MapEntry[]): ConfigNode & { kind: "map" } {
  return { kind: "map", entries };
}

function oneLine(value: string): string {
  return value.replaceAll(/[\n\r]/g, "");
}

function comment(
  node: ConfigNode,
  draw: () => (string | undefined)[] | undefined,
): ConfigNode {
  if (node.kind === "scalar") return node;
  const after = draw() ?? [];
  if (node.kind === "map") {
    const entries = node.entries.map((entry) => decorate(entry, draw));
    return { ...node, entries, after };
  }
  const items = node.items.map((item) => decorate(item, draw));
  return { ...node, items, after };
}

function decorate<Part extends { readonly value: ConfigNode }>(
  part: Part,
  draw: () => (string | undefined)[] | undefined,
): Part {
  const line = draw()?.[0];
  return {
    ...part,
    value: comment(part.value, draw),
    before: draw() ?? [],
    ...(line === undefined ? {} : { line }),
  };
}
