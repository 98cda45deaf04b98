import assert from "node:assert/strict";
import { isMap, parseDocument, type YAMLMap } from "yaml";
import {
  mapAt,
  setNode,
  setText,
  setTexts,
  textNode,
} from "../../../config/yaml/yaml_edit.ts";

const order = ["a", "b", "c"];

function edit(text: string, change: (map: YAMLMap) => void): string {
  const document = parseDocument(text, { schema: "failsafe" });
  if (!isMap(document.contents)) throw new Error("expected a mapping");
  change(document.contents);
  return document.toString();
}

Deno.test("a new key takes its place among the known ones", () => {
  assert.equal(
    edit("x: 1\na: 1\nc: 1\ny: 1\n", (map) => setText(map, "b", "2", order)),
    'x: 1\na: 1\nb: "2"\nc: 1\ny: 1\n',
  );
  assert.equal(
    edit("x: 1\nc: 1\n", (map) => setText(map, "a", "z", order)),
    "a: z\nx: 1\nc: 1\n",
  );
  assert.equal(
    edit("a: 1\nx: 1\n", (map) => setText(map, "new", "z", order)),
    "a: 1\nx: 1\nnew: z\n",
  );
});

Deno.test("a text changes beside its comment", () => {
  assert.equal(
    edit("a: 'x' # why\nb: 1\n", (map) => setText(map, "a", "z", order)),
    "a: z # why\nb: 1\n",
  );
});

Deno.test("a key is removed, and what is left of nothing is written as nothing", () => {
  assert.equal(
    edit("m:\n  a: 1\n", (map) => {
      setNode(mapAt(map, "m", []), "a", undefined, order);
    }),
    "m: {}\n",
  );
});

Deno.test("items keep their comments, others come and go", () => {
  assert.equal(
    edit("a:\n  - x # one\n  - y # two\n", (map) => {
      setTexts(map, "a", ["z", "y"], order);
    }),
    "a:\n  - z\n  - y # two\n",
  );
});

Deno.test("an empty list or mapping grows downwards and shrinks to its short form", () => {
  assert.equal(
    edit("a: []\nb: {}\n", (map) => {
      setTexts(map, "a", ["x"], order);
      setText(mapAt(map, "b", order), "k", "v", []);
    }),
    "a:\n  - x\nb:\n  k: v\n",
  );
  assert.equal(
    edit("a:\n  - x\n", (map) => setTexts(map, "a", [], order)),
    "a: []\n",
  );
});

Deno.test("a list on one line stays on it", () => {
  assert.equal(
    edit("a: [x]\n", (map) => setTexts(map, "a", ["x", "z"], order)),
    "a: [ x, z ]\n",
  );
});

Deno.test("a key without a mapping gets one", () => {
  assert.equal(
    edit("a:\n", (map) => setText(mapAt(map, "a", order), "k", "v", [])),
    "a:\n  k: v\n",
  );
});

Deno.test("words with another meaning in older YAML are quoted, others are not", () => {
  const quoted = ["", "~", "No", "y", "1_000", "0b1", "1e3", ".5", ".inf"];
  const dates = ["2026-01-02", "2026-01-02T03:04:05Z", "190:20:30", "<<"];
  for (const text of [...quoted, ...dates]) {
    assert.equal(textNode(text).type, "QUOTE_DOUBLE", text);
  }
  for (const text of ["10.0.0.2", "nope", "a1", "fd00::1", "1.2.3", "-"]) {
    assert.equal(textNode(text).type, "PLAIN", text);
  }
});
