import assert from "node:assert/strict";
import { isMap, isSeq } from "yaml";
import {
  addFlowList,
  editFlowList,
  fillFlowList,
  isJson,
} from "../../../config/inject/flow_edit.ts";
import { nodeAt, pairAt } from "../../../config/inject/node_at.ts";
import { mapOf } from "../../../config/inject/value.ts";
import { made, opened } from "./_change.ts";

const change = { path: [], key: "l", drop: [], add: [mapOf({ name: "w" })] };

function added(text: string): string {
  const source = opened(text);
  const map = source.document.contents;
  if (!isMap(map)) throw new Error("expected a mapping");
  return made(source, addFlowList(source.target, map, change));
}

function changed(text: string, drop: readonly number[] = []): string {
  const source = opened(text);
  const list = nodeAt(source.document.contents, ["l"]);
  if (!isSeq(list)) throw new Error("expected a list");
  const both = { ...change, drop };
  const json = isJson(source.document.contents);
  return made(source, editFlowList(source.target, list, both, json));
}

Deno.test("a list joins a mapping on one line", () => {
  assert.equal(added("{a: b}\n"), "{a: b, l: [{name: w}]}\n");
  assert.equal(added("{ a: b , }\n"), "{ a: b , l: [{name: w}] }\n");
  assert.equal(added("{}\n"), "{l: [{name: w}]}\n");
  assert.equal(added("{ # c\n}\n"), "{l: [{name: w}] # c\n}\n");
  assert.equal(added("{a: }\n"), "{a: , l: [{name: w}]}\n");
  assert.equal(added('{"a":"b"}\n'), '{"a":"b", "l": [{"name":"w"}]}\n');
});

Deno.test("a list joins a mapping of several lines on lines of its own", () => {
  assert.equal(
    added("{\n  a: b, # c\n  d: e # f\n}\n"),
    "{\n  a: b, # c\n  d: e, # f\n  l: [{name: w}]\n}\n",
  );
  assert.equal(
    added('{\n   "a": "b"\n}\n'),
    '{\n   "a": "b",\n   "l": [\n      {\n         "name": "w"\n      }\n   ]\n}\n',
  );
  assert.equal(added("{a: b,\n c: d}\n"), "{a: b,\n c: d, l: [{name: w}]}\n");
});

Deno.test("a list takes the place of nothing", () => {
  const filled = (text: string) => {
    const source = opened(text);
    const map = source.document.contents;
    const pair = isMap(map) ? pairAt(map, "l") : undefined;
    if (!isMap(map) || !pair) throw new Error("expected a mapping with a list");
    return made(source, fillFlowList(source.target, map, pair, change));
  };
  assert.equal(filled("{l: null, a: b}\n"), "{l: [{name: w}], a: b}\n");
  assert.equal(filled("{a: b, l: }\n"), "{a: b, l: [{name: w}]}\n");
  assert.equal(filled('{"l":null}\n'), '{"l": [{"name":"w"}]}\n');
});

Deno.test("an item joins a list as the others are laid out", () => {
  assert.equal(changed("l: [a]\n"), "l: [a, {name: w}]\n");
  assert.equal(changed("l: [a, ]\n"), "l: [a, {name: w} ]\n");
  assert.equal(changed("l: []\n"), "l: [{name: w}]\n");
  assert.equal(
    changed("l: [\n    a, # c\n    b # d\n  ]\n"),
    "l: [\n    a, # c\n    b, # d\n    {name: w}\n  ]\n",
  );
  assert.equal(
    changed('{\n "l": [\n  {"a": 1}\n ]\n}\n'),
    '{\n "l": [\n  {"a": 1},\n  {"name":"w"}\n ]\n}\n',
  );
  assert.equal(
    changed('{\n "l": [\n  {\n   "a": 1\n  }\n ]\n}\n'),
    '{\n "l": [\n  {\n   "a": 1\n  },\n  {\n   "name": "w"\n  }\n ]\n}\n',
  );
});

Deno.test("items leave a list with their commas", () => {
  assert.equal(changed("l: [a, b, c]\n", [0]), "l: [b, c, {name: w}]\n");
  assert.equal(changed("l: [a, b, c]\n", [1]), "l: [a, c, {name: w}]\n");
  assert.equal(changed("l: [a, b, c]\n", [1, 2]), "l: [a, {name: w}]\n");
  assert.equal(changed("l: [a, b, c,]\n", [0, 1, 2]), "l: [{name: w},]\n");
  assert.equal(
    changed("l: [\n  a,\n  b\n]\n", [0]),
    "l: [\n  b,\n  {name: w}\n]\n",
  );
  assert.equal(
    changed("l: [\n  a,\n  b\n]\n", [0, 1]),
    "l: [\n  {name: w}\n]\n",
  );
});

Deno.test("comments of items that leave stay", () => {
  assert.equal(
    changed("l: [\n  {a: # c\n   b}, # d\n  e]\n", [0]),
    "l: [\n   # c\n   # d\n  e, {name: w}]\n",
  );
  assert.equal(
    changed("l: [a, {b: # c\n   d}]\n", [1]),
    "l: [a,  # c\n       {name: w}]\n",
  );
});

Deno.test("isJson goes by the first key", () => {
  const json = (text: string) => isJson(opened(text).document.contents);
  assert.deepEqual(
    ['{"a": 1}', "{a: 1}", '"a": 1', "{}", "[a]"].map(json),
    [true, false, false, false, false],
  );
});
