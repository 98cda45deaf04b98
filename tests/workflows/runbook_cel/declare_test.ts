import assert from "node:assert/strict";
import {
  declare,
  withRunQueries,
} from "../../../workflows/runbook_cel/declare.ts";
import { nodeField } from "../../../workflows/runbook_cel/fact_fields.ts";
import { evaluate } from "../../../workflows/runbook_cel/expression.ts";
import { field, node, object, scope, world } from "./_scope.ts";

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

Deno.test("functions get nodes as they were given", () => {
  const names = { node: nodeField };
  const image = "registry.local/installer:v1.12.0";
  const given = { node: node("n", { image }) as never };
  assert.equal(
    evaluate("targetImage(node, 'keep', 'v1.13.0')", names, given, world),
    "registry.local/installer:v1.13.0",
  );
  assert.equal(
    evaluate("needsUpgrade(node, 'v1.13.0', 'keep')", names, scope, world),
    false,
  );
  assert.equal(
    evaluate("cidrContains('10.0.0.0/8', node.address)", names, scope, world),
    true,
  );
  assert.equal(
    evaluate("semverMinorGap('v1.11.0', node.version)", names, scope, world),
    2,
  );
});
