import assert from "node:assert/strict";
import { parseDocument } from "yaml";
import { expandAliases } from "../../../config/yaml/yaml_alias.ts";

function expand(text: string, limit?: number) {
  const document = parseDocument(text, { schema: "failsafe" });
  return { fault: expandAliases(document, limit), text: document.toString() };
}

Deno.test("an alias becomes a copy, and anchors go away", () => {
  assert.deepEqual(expand("a: &x [1, &y 2]\nb: *x\nc: *y\n"), {
    fault: undefined,
    text: "a: [ 1, 2 ]\nb: [ 1, 2 ]\nc: 2\n",
  });
});

Deno.test("an alias means the last anchor before it", () => {
  assert.equal(
    expand("a: &x 1\nb: *x\nc: &x 2\nd: *x\n").text,
    "a: 1\nb: 1\nc: 2\nd: 2\n",
  );
});

Deno.test("a change of one copy leaves the others alone", () => {
  const document = parseDocument("a: &x {k: 1}\nb: *x\n");
  expandAliases(document);
  document.setIn(["b", "k"], 2);
  assert.deepEqual(document.toJS(), { a: { k: 1 }, b: { k: 2 } });
});

Deno.test("a merge key adds what is missing", () => {
  assert.equal(
    expand("a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n").text,
    "a: { k: 1, l: 2 }\nb:\n  l: 3\n  k: 1\n",
  );
});

Deno.test("merge keys name several mappings, the first wins", () => {
  assert.equal(
    expand("a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc:\n  <<: [*x, *y]\n").text,
    "a: { k: 1 }\nb: { k: 2, l: 2 }\nc:\n  k: 1\n  l: 2\n",
  );
});

Deno.test("a quoted merge key is a key", () => {
  const text = 'a: &x { k: 1 }\nb:\n  "<<": c\n';
  assert.equal(expand(text).text, 'a: { k: 1 }\nb:\n  "<<": c\n');
});

Deno.test("an alias may be a key", () => {
  assert.equal(expand("a: &x k\n*x : v\n").text, "a: k\nk: v\n");
});

Deno.test("an unknown alias is a fault with its place", () => {
  const { fault } = expand("a: *x\n");
  assert.deepEqual(fault, { fault: '"*x" is not defined', offset: 3 });
});

Deno.test("a node cannot contain itself", () => {
  const { fault } = expand("a: &x [*x]\n");
  assert.deepEqual(fault, { fault: '"*x" is not defined', offset: 7 });
});

Deno.test("aliases that multiply are refused", () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]\n`,
  );
  const { fault } = expand(`a0: &a0 [x]\n${levels.join("")}`, 10_000);
  assert.equal(fault?.fault, "its aliases expand to too many values");
});

Deno.test("aliases of one long text are refused too", () => {
  const many = Array.from({ length: 200 }, (_, i) => `k${i}: *x\n`).join("");
  const { fault } = expand(`a: &x ${"y".repeat(10_000)}\n${many}`);
  assert.equal(fault?.fault, "its aliases expand to too many values");
});
