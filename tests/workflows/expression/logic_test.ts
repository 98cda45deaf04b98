import assert from "node:assert/strict";
import {
  type Logic,
  logicOf,
} from "../../../workflows/expression/expression.ts";

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

Deno.test("logicOf takes conditions apart, and keeps what they are made of", () => {
  const shapes = [
    "a && b.c == 'x'",
    "(a || !b) && size( c ) > 0",
    "!(a && b)",
    "(a ? b : !c) || d",
    "a.exists(n, n.x && n.y)",
    "((a)) == (b || c)",
  ].map((source) => text(logicOf(source)));
  assert.deepEqual(shapes, [
    'and(a; b.c == "x")',
    "and(or(a; not(b)); size(c) > 0)",
    "not(and(a; b))",
    "or(choice(a; b; not(c)); d)",
    "a.exists(n, n.x && n.y)",
    "a == (b || c)",
  ]);
});

Deno.test("logicOf leaves what cannot be read as a whole", () => {
  assert.equal(text(logicOf("a && (")), "a && (");
});
