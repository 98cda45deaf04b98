import assert from "node:assert/strict";
import {
  declare,
  withRunQueries,
} from "../../../workflows/runbook_cel/declare.ts";
import { nodeField } from "../../../workflows/runbook_cel/fact_fields.ts";
import { evaluate } from "../../../workflows/runbook_cel/expression.ts";
import { field, object } from "./_scope.ts";

Deno.test("types of all kinds are declared", () => {
  const inner = object({ b: field("int") });
  const { environment, objects } = declare({
    text: field("path"),
    number: field("countOrPercent"),
    free: field("object"),
    names: field("nodes"),
    parts: field("list", { items: inner }),
    byName: field("map", { items: inner }),
    node: nodeField,
  });
  const types = [
    ["text", "string"],
    ["number", "dyn"],
    ["free", "map<string, dyn>"],
    ["names", "list<string>"],
    ["parts", "list<parts.item>"],
    ["byName", "map<string, parts.item>"],
    ["node", "node"],
    ["node.etcd.voters", "int"],
    ["parts[0].b", "int"],
  ];
  for (const [source = "", type] of types) {
    assert.equal(environment.check(source).type, type, source);
  }
  assert.equal(objects.get("parts.item"), inner);
});

Deno.test("reached and now are answered by the run that evaluates", () => {
  const at = (now: number) => ({ reached: () => now > 0, now: () => now });
  const nested = withRunQueries(at(1), () => {
    withRunQueries(at(2), () => {});
    return evaluate("now()", {}, {}, at(3));
  });
  assert.equal(nested, "1970-01-01T00:00:00.003Z");
  const { environment } = declare({});
  assert.throws(() => environment.parse("now()")(), /outside a run/);
});
