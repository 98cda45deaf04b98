import assert from "node:assert/strict";
import { run } from "../../_run.ts";

function kinds(schema: string): readonly string[] {
  return JSON.parse(schema).properties.kind.enum;
}

Deno.test("machineconfig schema prints the schema of the newest version", async () => {
  const { out, err, status } = await run("machineconfig schema");
  assert.equal(status, 0);
  assert.equal(err, "");
  assert.ok(out.startsWith(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Machine configuration",
`));
  assert.ok(out.endsWith("\n}\n"));
  assert.ok(kinds(out).includes("HostnameConfig"));
});

Deno.test("machineconfig schema omits what an older version does not know", async () => {
  const { out, status } = await run("mc schema --os-version v1.8.4");
  assert.equal(status, 0);
  assert.equal(JSON.parse(out).title, "Machine configuration, version 1.8");
  assert.ok(!kinds(out).includes("HostnameConfig"));
});
