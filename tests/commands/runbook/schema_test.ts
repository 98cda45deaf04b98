import assert from "node:assert/strict";

import { run } from "../../_run.ts";

Deno.test("runbook schema prints the schema, with modules and checks", async () => {
  const { out, err, status } = await run("runbook schema");
  assert.deepEqual([err, status], ["", 0]);
  const schema = JSON.parse(out);
  assert.equal(schema.title, "Runbook of osctl");
  const names = (key: string, name: string) =>
    schema.$defs[key].allOf[0].properties[name].oneOf
      .map((one: { readonly const: string }) => one.const);
  assert.ok(names("step", "run").includes("config.backup"));
  const check = schema.$defs.gateCheck.anyOf[1];
  assert.equal(
    check.allOf[0].properties.check.oneOf[0].const,
    "cluster.health",
  );
});
