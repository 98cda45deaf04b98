import assert from "node:assert/strict";
import { parseDocument } from "yaml";
import {
  isList,
  isValueMap,
  mapOf,
  readValue,
  sameValue,
  valueAt,
} from "../../../config/inject/value.ts";

function read(text: string) {
  const options = { schema: "core", uniqueKeys: false } as const;
  return readValue(parseDocument(text, options), text);
}

Deno.test("readValue reads scalars, lists and mappings", () => {
  assert.deepEqual(
    read("a: 1\nb: [true, ~, yes, '1']\nc: {1: 1.50}\nd:\n"),
    {
      value: mapOf({
        a: 1,
        b: [true, null, "yes", "1"],
        c: mapOf({ 1: 1.5 }),
        d: null,
      }),
      fault: undefined,
    },
  );
});

Deno.test("readValue resolves aliases and merge keys and leaves the document", () => {
  assert.deepEqual(
    read("{<<: {a: 1}, b: 2}").value,
    mapOf({ b: 2, a: 1 }),
  );
  const text = "a: &a {b: 1}\nc: *a\nd: {<<: *a, e: 2}\n";
  const document = parseDocument(text);
  assert.deepEqual(
    readValue(document, text).value,
    mapOf({
      a: mapOf({ b: 1 }),
      c: mapOf({ b: 1 }),
      d: mapOf({ e: 2, b: 1 }),
    }),
  );
  assert.match(String(document), /\*a/);
});

Deno.test("readValue finds keys that occur twice or are none", () => {
  assert.deepEqual(read("a: 1\nb: {c: 1, c: 2}\n").fault, {
    fault: '"c" occurs twice in one mapping',
    offset: 15,
    hint: "Keep one of them",
  });
  assert.deepEqual(read("a: 1\n? [b]\n: 1\n").fault, {
    fault: "a key is not a string",
    offset: 7,
  });
});

Deno.test("readValue bounds what aliases stand for", () => {
  const long = (times: number) => {
    const aliases = Array(times).fill("*a").join(", ");
    return read(`a: &a ${"x".repeat(20_000)}\nb: [${aliases}]\n`).fault;
  };
  assert.equal(long(9), undefined);
  assert.deepEqual(long(10), {
    fault: "aliases stand for too much",
    offset: 20_047,
  });
});

Deno.test("sameValue passes over the order of keys and over nothing else", () => {
  const value = mapOf({ a: 1, b: ["x", null] });
  assert.ok(sameValue(value, mapOf({ b: ["x", null], a: 1 })));
  for (
    const other of [
      mapOf({ a: 1 }),
      mapOf({ a: "1", b: ["x", null] }),
      mapOf({ a: 1, b: [null, "x"] }),
      mapOf({ a: 1, b: ["x"] }),
      mapOf({ a: 1, b: ["x", null], c: null }),
      mapOf({ a: 1, c: ["x", null] }),
      ["x", null],
      null,
    ]
  ) assert.ok(!sameValue(value, other));
  assert.ok(!sameValue(["x"], "x"));
});

Deno.test("valueAt follows keys and indices", () => {
  const value = mapOf({ a: [mapOf({ b: null })] });
  assert.equal(valueAt(value, ["a", 0, "b"]), null);
  assert.equal(valueAt(value, ["a", 1, "b"]), undefined);
  assert.equal(valueAt(value, ["a", "b"]), undefined);
  assert.equal(valueAt(value, [0]), undefined);
});

Deno.test("isList and isValueMap tell lists and mappings apart", () => {
  assert.deepEqual(
    [[], mapOf({}), "a", null, undefined].map((value) => [
      isList(value),
      isValueMap(value),
    ]),
    [[true, false], [false, true], ...Array(3).fill([false, false])],
  );
});
