import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("cgroups schema prints a JSON Schema", async () => {
  const { out, status } = await run("cgroups schema");
  assert.deepEqual(JSON.parse(out).required, ["columns"]);
  assert.equal(status, 0);
});
