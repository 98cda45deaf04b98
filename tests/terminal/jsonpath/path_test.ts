import assert from "node:assert/strict";
import { readPath } from "../../../terminal/jsonpath/path.ts";

function steps(source: string) {
  const scanner = { source, at: 0 };
  const path = readPath(scanner);
  assert.equal(scanner.at, source.length, `all of ${source} is read`);
  return path.steps;
}

function problem(source: string): string {
  try {
    readPath({ source, at: 0 });
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
}

const field = (name: string) => ({ kind: "field", name });

Deno.test("readPath keeps both meanings of a quoted key with dots", () => {
  assert.deepEqual(steps("['a.b']"), [
    { kind: "field", name: "a.b", otherwise: [field("a"), field("b")] },
  ]);
});

Deno.test("readPath reads places, slices, wildcards, descents and unions", () => {
  assert.deepEqual(steps("[0][-1]"), [
    { kind: "index", index: 0 },
    { kind: "index", index: -1 },
  ]);
  assert.deepEqual(steps("[1:3][:][::2][-2:]"), [
    { kind: "slice", from: 1, to: 3, by: 1 },
    { kind: "slice", from: undefined, to: undefined, by: 1 },
    { kind: "slice", from: undefined, to: undefined, by: 2 },
    { kind: "slice", from: -2, to: undefined, by: 1 },
  ]);
  assert.deepEqual(steps(".*[*]..a"), [
    { kind: "wildcard" },
    { kind: "wildcard" },
    { kind: "recursive" },
    field("a"),
  ]);
  assert.deepEqual(steps("[0, 'a']"), [
    { kind: "union", members: [{ kind: "index", index: 0 }, field("a")] },
  ]);
});

Deno.test("readPath names the place of what it cannot read", () => {
  assert.equal(problem(""), "expected a path at character 1");
  assert.equal(problem(".a."), "expected a name at character 4");
  assert.equal(
    problem("[x]"),
    "expected a number, a quoted key, a slice, * or ?( at character 2",
  );
  assert.equal(problem("[1"), 'expected "]" at character 3');
  assert.equal(
    problem("[::0]"),
    "expected a step of 1 or more before this at character 5",
  );
  assert.equal(problem("[?@.a]"), 'expected "(" at character 3');
  assert.equal(problem("[?(@.a]"), 'expected ")" at character 7');
  assert.equal(
    problem("[?(1)]"),
    "expected one of == != <= >= < > at character 5",
  );
  assert.equal(
    problem(`[?(${"(".repeat(60)}`),
    "expected less nesting at character 55",
  );
});
