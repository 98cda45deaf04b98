import assert from "node:assert/strict";
import { parse } from "@marcbachmann/cel-js";
import { askedFor, namesIn } from "../../../workflows/expression/syntax.ts";

function names(source: string) {
  return namesIn(parse(source).ast).references.map(({ path, use }) => [
    path.map((part) => part ?? "*").join("."),
    use,
  ]);
}

Deno.test("names are told apart by what is done with them", () => {
  assert.deepEqual(names("a.b"), [["a.b", "whole"]]);
  assert.deepEqual(names("a ? b : c.d"), [
    ["a", "part"],
    ["b", "whole"],
    ["c.d", "whole"],
  ]);
  assert.deepEqual(names("has(a.b) ? -c : !d"), [
    ["a.b", "asked"],
    ["c", "part"],
    ["d", "part"],
  ]);
  assert.deepEqual(names("[a, {b: c}]"), [
    ["a", "part"],
    ["b", "part"],
    ["c", "part"],
  ]);
  assert.deepEqual(names("a[b.c]['d'].e"), [
    ["a.*.d.e", "whole"],
    ["b.c", "part"],
  ]);
  assert.deepEqual(names("f(a).b[c]"), [["a", "part"], ["c", "part"]]);
});

Deno.test("variables of loops are told with what they go over", () => {
  const { references } = namesIn(
    parse("a.filter(x, x.p).map(y, y.q + f(a).map(z, z)[0])").ast,
  );
  assert.deepEqual(
    references.map(({ path, over }) => [path.join("."), over?.path.join(".")]),
    [["a", undefined], ["x.p", "a"], ["y.q", "a"], ["a", undefined]],
  );
  assert.deepEqual(names("cel.bind(x, a.b, x + c)"), [
    ["a.b", "part"],
    ["c", "part"],
  ]);
});

Deno.test("calls are told with the texts they are given", () => {
  const { calls } = namesIn(parse("f('a', b) && c.g('d')").ast);
  assert.deepEqual(calls.map(({ name, texts }) => ({ name, texts })), [
    { name: "f", texts: ["a", undefined] },
    { name: "g", texts: ["d"] },
  ]);
});

Deno.test("what is asked for is found only where all has to hold", () => {
  const asked = (source: string) => askedFor(parse(source).ast);
  assert.deepEqual(asked("has(a.b) && c && has(d.e)"), [["a", "b"], [
    "d",
    "e",
  ]]);
  assert.deepEqual(asked("has(a.b) || c"), []);
  assert.deepEqual(asked("!has(a.b)"), []);
  assert.deepEqual(asked("has(f(a).b)"), []);
});
