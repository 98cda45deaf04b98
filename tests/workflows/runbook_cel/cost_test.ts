import assert from "node:assert/strict";
import { evaluate } from "../../../workflows/runbook_cel/expression.ts";
import type { Budget } from "../../../workflows/runbook_cel/cost.ts";
import type { ValueFields } from "../../../workflows/runbook_cel/field.ts";

const int = { type: "int", summary: "" } as const;
const declarations: ValueFields = {
  few: { type: "list", summary: "", items: int },
  many: { type: "list", summary: "", items: int },
  word: { type: "string", summary: "" },
  labels: { type: "map", summary: "", items: { type: "string", summary: "" } },
};
const scope = {
  few: [1, 2, 3],
  many: Array.from({ length: 2_000 }, (_, i) => i),
  word: "x".repeat(100),
  labels: { a: "b", c: "d" },
};

function measureCost(source: string): number {
  const budget: Budget = { left: 1_000_000 };
  evaluate(source, declarations, scope, {
    reached: () => false,
    now: () => 0,
    budget,
  });
  return Number((1_000_000 - budget.left).toFixed(3));
}

const prices: readonly (readonly [string, number, string])[] = [
  ["true", 2, "a part, and the value on its way out"],
  ["word", 1, "a name; what is handed on as it is costs no more"],
  ["labels.a", 2, "a name and a member"],
  ["few[0] == 1", 8, "five parts, two values compared, one out"],
  ["word == word", 24, "one for ten characters that are compared"],
  ["word.contains('xx')", 6, "the product of both lengths"],
  ["word.startsWith('xx')", 14.2, "the sum of both lengths"],
  ["[1, 2] == [1, 2]", 14, "seven parts, six values compared, one out"],
  ["few.all(n, true)", 13, "three parts for each element"],
  ["few.map(n, n).size()", 15, "two parts for each element, and the list"],
  ["2000 in many", 2_006, "each element is compared"],
];

for (const [source, price, why] of prices) {
  Deno.test(`evaluate charges ${source}: ${why}`, () => {
    assert.equal(measureCost(source), Number(price.toFixed(3)));
  });
}

const tooMuch = [
  ["many.map(a, many.map(b, a))", "lists in a list"],
  [
    "many.all(a, !word.contains(word + word + word + word + word))",
    "long searches",
  ],
  ["many.all(a, many.all(b, a + b >= 0))", "nested loops"],
  ["false || many.all(a, many.all(b, a + b >= 0))", "an error swallowed by ||"],
  ["many.exists(a, many.exists(b, a + b < 0))", "an error swallowed by exists"],
  [
    "cel.bind(a, [1,1,1,1,1,1,1,1], cel.bind(b, [a,a,a,a,a,a,a,a], " +
    "cel.bind(c, [b,b,b,b,b,b,b,b], cel.bind(d, [c,c,c,c,c,c,c,c], " +
    "cel.bind(e, [d,d,d,d,d,d,d,d], cel.bind(f, [e,e,e,e,e,e,e,e], " +
    "cel.bind(g, [f,f,f,f,f,f,f,f], cel.bind(h, [g,g,g,g,g,g,g,g], h == h))))))))",
    "lists that hold each other often",
  ],
  [
    "cel.bind(a, [1,1,1,1,1,1,1,1], cel.bind(b, [a,a,a,a,a,a,a,a], " +
    "cel.bind(c, [b,b,b,b,b,b,b,b], cel.bind(d, [c,c,c,c,c,c,c,c], " +
    "cel.bind(e, [d,d,d,d,d,d,d,d], cel.bind(f, [e,e,e,e,e,e,e,e], [f,f,f,f]))))))",
    "a small value that is large when it is copied",
  ],
] as const;

for (const [source, title] of tooMuch) {
  Deno.test(`evaluate ends what costs too much: ${title}`, () => {
    const world = { reached: () => false, now: () => 0 };
    assert.throws(() => evaluate(source, declarations, scope, world), {
      name: "ConfigError",
      message:
        `Cannot evaluate "${source}": it costs more than 1000000, the limit for one expression`,
      hint:
        "Iterate over fewer elements, or split it with vars or a decide step",
    });
  });
}

Deno.test("evaluate takes from a budget until nothing is left of it", () => {
  const budget: Budget = { left: 5_000 };
  const world = { reached: () => false, now: () => 0, budget };
  const source = "many.all(n, n >= 0)";
  const again = () => evaluate(source, declarations, scope, world);
  assert.throws(again, {
    message:
      `Cannot evaluate "${source}": it costs more than is left for all expressions`,
  });
  assert.ok(budget.left <= 0);
  assert.throws(() => evaluate("few.size()", declarations, scope, world), {
    message: /is left for all expressions$/,
  });
  // Costs above the limit are not charged to the next expression.
  const others = { reached: () => false, now: () => 0 };
  assert.equal(evaluate(source, declarations, scope, others), true);
});
