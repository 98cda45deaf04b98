import assert from "node:assert/strict";
import fc from "fast-check";
import { load } from "js-yaml";
import type { ConfigNode, Plain } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";

/** The value as plain data, scalars as text. */
function plain(node: ConfigNode): Plain {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return node.items.map(({ value }) => plain(value));
  return Object.fromEntries(
    node.entries.map(({ key, value }) => [key, plain(value)]),
  );
}

function root(text: string): ConfigNode {
  const [document] = readDocuments(text, "f.yaml").documents;
  assert.ok(document);
  return document.root;
}

function fails(text: string, message: string): void {
  assert.throws(() => readDocuments(text, "f.yaml"), {
    name: "ConfigError",
    message,
  });
}

Deno.test("readDocuments reads every form of a scalar", () => {
  const text =
    `a: 1\nb: "q\\n"\nc: 'x''y'\nd: |\n  l1\n  l2\ne: >-\n  f1\n  f2\nf:\n`;
  assert.deepEqual(plain(root(text)), {
    a: "1",
    b: "q\n",
    c: "x'y",
    d: "l1\nl2\n",
    e: "f1 f2",
    f: "",
  });
});

Deno.test("readDocuments reads the end of a file without a line break as nodes do", () => {
  // From the Go library of the nodes.
  for (
    const [text, value] of [
      ["|\n  b", "b"],
      ["|+\n  b", "b"],
      [">\n  b", "b"],
      ["|\n  b\n", "b\n"],
      ["|\n  b\n  ", "b\n"],
      ["|+\n  b\n\n", "b\n\n"],
      ["|\n  b\n  c", "b\nc"],
    ]
  ) assert.deepEqual(plain(root(`a: ${text}`)), { a: value }, text);
});

Deno.test("readDocuments tells plain scalars from texts", () => {
  const node = root(`[1, "1", '1', !!str 1, !!int "1", ! 1]`);
  assert.ok(node.kind === "list");
  const flags = node.items.map(({ value }) =>
    value.kind === "scalar" && value.plain
  );
  assert.deepEqual(flags, [true, false, false, false, true, false]);
});

Deno.test("readDocuments says where keys and values stand", () => {
  const node = root("a:\r\n  - x: 1\r\n    y: z\r\n");
  assert.ok(node.kind === "map");
  const list = node.entries[0]?.value;
  assert.ok(list?.kind === "list");
  const item = list.items[0]?.value;
  assert.ok(item?.kind === "map");
  const y = item.entries[1];
  assert.deepEqual(y?.at, { file: "f.yaml", line: 3, column: 5 });
  assert.deepEqual(y?.value.at, { file: "f.yaml", line: 3, column: 8 });
  assert.deepEqual(item.at, { file: "f.yaml", line: 2, column: 5 });
});

Deno.test("readDocuments numbers documents and omits empty ones", () => {
  const file = readDocuments("a: 1\n---\n# none\n---\nb: 2\n---\nnull\n", "f");
  assert.deepEqual(file.documents.map(({ number }) => number), [1, 3]);
  assert.deepEqual(file.empty, [2, 4]);
  assert.deepEqual(readDocuments("", "f"), { documents: [], empty: [] });
});

Deno.test("readDocuments puts aliases and merge keys in place", () => {
  const text = "x: &x {p: 1, q: 2}\ny:\n  <<: *x\n  q: 3\nz: *x\n";
  assert.deepEqual(plain(root(text)), {
    x: { p: "1", q: "2" },
    y: { q: "3", p: "1" },
    z: { p: "1", q: "2" },
  });
  const list = "a: &a {p: 1}\nb: &b {p: 2, r: 3}\nc:\n  <<: [*a, *b]\n";
  const merged = root(list);
  assert.deepEqual(plain(merged), {
    a: { p: "1" },
    b: { p: "2", r: "3" },
    c: { p: "1", r: "3" },
  });
});

Deno.test("readDocuments names what it cannot read by line and column", () => {
  fails(
    "a: 1\na: 2\n",
    'Cannot read "f.yaml" at line 2, column 1: "a" appears twice in one mapping',
  );
  fails(
    "a: *x\n",
    'Cannot read "f.yaml" at line 1, column 4: the alias *x is not defined',
  );
  fails(
    "? [a]\n: b\n",
    'Cannot read "f.yaml" at line 1, column 3: a key is not a string',
  );
  fails(
    "a:\n\t- b\n",
    'Cannot read "f.yaml" at line 2, column 1: tab characters must not be used in indentation',
  );
  fails(
    "a: \0",
    'Cannot read "f.yaml" at line 1, column 4: it contains a NUL character',
  );
  fails(
    "a: !!foo x\n",
    'Cannot read "f.yaml" at line 1, column 4: the tag !!foo is not supported here',
  );
  fails(
    "<<: 1\n",
    'Cannot read "f.yaml" at line 1, column 1: "<<" is not followed by a mapping',
  );
  fails(
    "[".repeat(200),
    'Cannot read "f.yaml" at line 1, column 100: nesting exceeded maxDepth (100)',
  );
});

Deno.test("readDocuments refuses aliases that blow up", () => {
  const times = (name: string) => `*${name},`.repeat(100);
  fails(
    `a: &a [x,x]\nb: &b [${times("a")}]\nc: &c [${times("b")}]\nd: [${
      times("c")
    }]\n`,
    'Cannot read "f.yaml" at line 4, column 11: its aliases expand to too many values',
  );
});

Deno.test("readDocuments agrees with a complete reader on any value", () => {
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
      fc.array(tie("node"), { maxLength: 4 }),
      fc.dictionary(fc.string({ minLength: 1 }), tie("node"), { maxKeys: 4 }),
    ),
  })).node;
  fc.assert(
    fc.property(value, (value) => {
      const text = JSON.stringify({ value });
      assert.deepEqual(plain(root(text)), plain(root(text)));
      assert.deepEqual(
        JSON.stringify(plain(root(text))),
        JSON.stringify(load(text)),
      );
    }),
    { numRuns: 300 },
  );
});

Deno.test("readDocuments says where a merge key is that has no meaning", () => {
  assert.throws(
    () =>
      readDocuments("a: &x {b: 1}\nc:\n  <<: *x\n", "f.yaml", {
        mergeKeys: false,
      }),
    {
      message:
        'Cannot read "f.yaml" at line 3, column 3: "<<" (merge keys) is not supported here',
      hint: "Write the keys out, or use an alias for the whole value",
    },
  );
});
