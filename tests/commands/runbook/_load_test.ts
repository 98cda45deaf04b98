import assert from "node:assert/strict";
import { loadOptions, schemaText } from "../../../commands/runbook/_load.ts";

Deno.test("runbooks find the modules and checks of this program", async () => {
  const { find } = loadOptions({ env: () => undefined });
  assert.equal((await find.module("config.backup"))?.name, "config.backup");
  assert.equal(await find.module("no.such"), undefined);
  assert.equal(find.check("node.ready")?.scope, "node");
  assert.ok(find.modules.includes("config.backup"));
  assert.ok(find.checks.includes("cluster.health"));
});

Deno.test("the schema is a file with an end of line", async () => {
  assert.match(await schemaText(), /^\{\n[^]*\n\}\n$/);
});

Deno.test("programs that are not trusted are not called", async () => {
  const { build } = loadOptions({ env: () => "/nowhere" });
  await assert.rejects(
    async () => await build?.("a.runbook.ts", "export default () => {};"),
    { name: "RefusedError" },
  );
});
