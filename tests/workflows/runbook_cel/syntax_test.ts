import assert from "node:assert/strict";
import { parse } from "@marcbachmann/cel-js";
import { askedFor, namesIn } from "../../../workflows/runbook_cel/syntax.ts";
import {
  type Logic,
  parseLogic,
} from "../../../workflows/runbook_cel/expression.ts";

function names(source: string) {
  return namesIn(parse(source).ast).references.map(({ path, use }) => [
    path.map((part) => part ?? "*").join("."),
    use,
  ]);
}

Deno.test("variables of loops are reported with what they go over", () => {
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

Deno.test("syntax: conditions are found only in conjunctions", () => {
  const asked = (source: string) => askedFor(parse(source).ast);
  assert.deepEqual(asked("has(a.b) && c && has(d.e)"), [["a", "b"], [
    "d",
    "e",
  ]]);
  assert.deepEqual(asked("has(a.b) || c"), []);
  assert.deepEqual(asked("!has(a.b)"), []);
  assert.deepEqual(asked("has(f(a).b)"), []);
});

/** Writes parts in brackets. */
function text(logic: Logic): string {
  switch (logic.op) {
    case "and":
    case "or":
      return `${logic.op}(${logic.parts.map(text).join("; ")})`;
    case "not":
      return `not(${text(logic.part)})`;
    case "choice":
      return `choice(${
        [logic.when, logic.yes, logic.no].map(text).join("; ")
      })`;
    case "leaf":
      return logic.source;
  }
}

Deno.test("parseLogic splits conditions, and keeps their parts", () => {
  const shapes = [
    "a && b.c == 'x'",
    "(a || !b) && size( c ) > 0",
    "!(a && b)",
    "(a ? b : !c) || d",
    "a.exists(n, n.x && n.y)",
    "((a)) == (b || c)",
  ].map((source) => text(parseLogic(source)));
  assert.deepEqual(shapes, [
    'and(a; b.c == "x")',
    "and(or(a; not(b)); size(c) > 0)",
    "not(and(a; b))",
    "or(choice(a; b; not(c)); d)",
    "a.exists(n, n.x && n.y)",
    "a == (b || c)",
  ]);
});

Deno.test("parseLogic keeps an invalid expression as a whole", () => {
  assert.equal(text(parseLogic("a && (")), "a && (");
});
