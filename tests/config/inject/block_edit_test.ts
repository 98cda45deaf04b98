import assert from "node:assert/strict";
import { isMap, isSeq } from "yaml";
import {
  addBlockList,
  editBlockList,
  fillBlockList,
} from "../../../config/inject/block_edit.ts";
import { nodeAt, pairAt } from "../../../config/inject/node_at.ts";
import { mapOf } from "../../../config/inject/value.ts";
import { made, opened } from "./_change.ts";

const change = {
  path: [],
  key: "l",
  drop: [],
  add: [mapOf({ name: "w", at: "/w" })],
};

function added(text: string, path: readonly (string | number)[] = []): string {
  const source = opened(text);
  const map = nodeAt(source.document.contents, path);
  if (!isMap(map)) throw new Error("expected a mapping");
  return made(source, addBlockList(source.target, map, change));
}

function filled(text: string): string {
  const source = opened(text);
  const map = source.document.contents;
  const pair = isMap(map) ? pairAt(map, "l") : undefined;
  if (!isMap(map) || !pair) throw new Error("expected a mapping with a list");
  return made(source, fillBlockList(source.target, map, pair, change));
}

function changed(text: string, drop: readonly number[]): string {
  const source = opened(text);
  const list = nodeAt(source.document.contents, ["l"]);
  if (!isSeq(list)) throw new Error("expected a list");
  const both = { ...change, drop };
  return made(source, editBlockList(source.target, list, both));
}

Deno.test("a list joins a mapping at its end, in the style of the text", () => {
  assert.equal(
    added("a:\n    b: c # d\n\n# e\nf:\n- g\n", ["a"]),
    "a:\n    b: c # d\n    l:\n    - name: w\n      at: /w\n\n# e\nf:\n- g\n",
  );
});

Deno.test("a list joins a mapping below the comments that belong to it", () => {
  assert.equal(
    added("a:\n- b: c\n  # d\n    # e\n# f\n", ["a", 0]),
    "a:\n- b: c\n  # d\n    # e\n  l:\n  - name: w\n    at: /w\n# f\n",
  );
});

Deno.test("a list joins a mapping whatever is last in it", () => {
  const list = "l:\n  - name: w\n    at: /w\n";
  for (
    const last of [
      "|\n  x\n",
      "|+\n  x\n\n\n",
      ">-\n  x\n",
      "x\n  y\n",
      '"x\n  y"\n',
      "{b: c,\n  d: e}\n",
      "\n",
      "  # f\n",
      "&x\n",
      "!!str\n",
    ]
  ) assert.equal(added(`a: ${last}`), `a: ${last}${list}`, last);
  assert.equal(added("? a\n"), `? a\n${list}`);
});

Deno.test("a list joins with the line ends of the text", () => {
  assert.equal(
    added("a: b # c\r\n"),
    "a: b # c\r\nl:\r\n  - name: w\r\n    at: /w\r\n",
  );
});

Deno.test("an empty list grows below its key", () => {
  const list = "  - name: w\n    at: /w\n";
  assert.equal(filled("l:\nb: c\n"), `l:\n${list}b: c\n`);
  assert.equal(filled("l:   # d\nb: c\n"), `l:   # d\n${list}b: c\n`);
  assert.equal(filled("l: ~\nb: c\n"), `l:\n${list}b: c\n`);
  assert.equal(filled("l: null # d\nb: c\n"), `l: # d\n${list}b: c\n`);
  assert.equal(filled("l: [ ] # d\n"), `l: # d\n${list}`);
});

Deno.test("an item joins a list below the last one and its comments", () => {
  assert.equal(
    changed("l:\n - a: b # c\n   # d\n # e\n", []),
    "l:\n - a: b # c\n   # d\n - name: w\n   at: /w\n # e\n",
  );
});

Deno.test("items leave a list, and their comments stay", () => {
  assert.equal(
    changed("l:\n# a\n- b\n# c\n- d # e\n# f\n- g\n", [0, 1]),
    "l:\n# a\n# c\n# e\n# f\n- g\n- name: w\n  at: /w\n",
  );
  assert.equal(
    changed("l:\n- a:\n    b\n  # c\n- d\n", [0, 1]),
    "l:\n# c\n- name: w\n  at: /w\n",
  );
});
