import assert from "node:assert/strict";
import { Environment } from "@marcbachmann/cel-js";
import { evaluate } from "../../../workflows/runbook_cel/expression.ts";
import { declare } from "../../../workflows/runbook_cel/declare.ts";
import { functionDocs } from "../../../workflows/runbook_cel/function_docs.ts";
import { nodeField } from "../../../workflows/runbook_cel/fact_fields.ts";
import { node } from "./_scope.ts";

const names = { node: nodeField };
const values = {
  node: JSON.parse(JSON.stringify(node("w-1", { labels: { gpu: "true" } }))),
};
const queries = {
  reached: () => true,
  changed: () => false,
  now: () => Date.UTC(2026, 10, 20),
};

Deno.test("every example is an expression, and gives what the page says", () => {
  for (const { name, example, gives } of functionDocs) {
    const value = evaluate(example, names, values, queries);
    assert.notEqual(value, undefined, name);
    if (gives !== undefined) assert.deepEqual(value, gives, example);
    assert.ok(example.includes(name), example);
  }
});

const others = new Set([
  "at",
  "base64",
  "bind",
  "bytes",
  "dyn",
  "hasValue",
  "hex",
  "json",
  "matches",
  "none",
  "of",
  "or",
  "orValue",
  "type",
  "uint",
  "value",
]);

Deno.test("every function of expressions is on the page", () => {
  const { functions } = declare({}).environment.getDefinitions();
  assert.ok(
    functions.length > new Environment({}).getDefinitions().functions.length,
  );
  const known = new Set(functions.map(({ name }) => name));
  assert.deepEqual(
    [...known].filter((name) => !others.has(name)).toSorted(),
    functionDocs.map(({ name }) => name).toSorted(),
  );
});
