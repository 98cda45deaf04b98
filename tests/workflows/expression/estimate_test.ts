import assert from "node:assert/strict";
import { checkExpression } from "../../../workflows/expression/expression.ts";
import type { ValueFields } from "../../../workflows/expression/field.ts";

const text = { type: "string", summary: "" } as const;
const declarations: ValueFields = {
  names: { type: "nodes", summary: "" },
  lists: {
    type: "list",
    summary: "",
    items: { type: "list", summary: "", items: text },
  },
  word: text,
  anything: { type: "any", summary: "" },
  pair: {
    type: "object",
    summary: "",
    fields: { one: text, all: { type: "nodes", summary: "" } },
  },
};

function faultOf(source: string): string {
  const checked = checkExpression(source, declarations);
  return "fault" in checked ? checked.fault.message : "";
}

const fine = [
  "names.all(a, names.exists(b, a != b && b.startsWith(word)))",
  "names.map(n, n + word).size() > 3",
  "names.filter(n, n.contains(word)).join(',')",
  "word.split(',').map(n, n.trim())",
  "pair.all.all(a, pair.one == a)",
  "cel.bind(a, names + names, a.map(n, {n: a.size()}))",
  "anything.x.all(a, a == word) ? names[0] : pair.one",
];

for (const source of fine) {
  Deno.test(`checkExpression takes ${source} for affordable`, () => {
    assert.equal(faultOf(source), "");
  });
}

const costly = [
  "names.all(a, names.all(b, names.all(c, a != b)))",
  "lists.all(a, a.all(b, lists.exists(c, b in c)))",
  "names.all(a, names.all(b, a.contains(b)))",
  "anything.all(a, anything.all(b, anything.all(c, a == b)))",
  "cel.bind(a, names + names, cel.bind(b, a+a+a+a+a+a+a+a, cel.bind(c, b+b+b+b+b+b+b+b, " +
  "cel.bind(d, c+c+c+c+c+c+c+c, cel.bind(e, d+d+d+d+d+d+d+d, e+e+e+e+e+e+e+e)))))",
];

for (const source of costly) {
  Deno.test(`checkExpression refuses ${source.slice(0, 60)} for what it may cost`, () => {
    assert.match(
      faultOf(source),
      /^With lists of 300 elements it may cost [\d.e+]+ times the limit of 10000000$/,
    );
  });
}

Deno.test("checkExpression refuses what is longer than any parser should follow", () => {
  assert.equal(
    faultOf("!".repeat(50_000) + "true"),
    "It is longer than 4096 characters",
  );
  assert.equal(faultOf("-".repeat(4_000) + "1"), "Exceeded maxAstNodes (400)");
  assert.equal(faultOf(`word == "${"x".repeat(4_000)}"`), "");
});
