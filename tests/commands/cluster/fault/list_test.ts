import assert from "node:assert/strict";
import { run } from "../../../_run.ts";

Deno.test("cluster fault list shows every fault, also without a cluster", async () => {
  const { out, status } = await run(
    "cluster fault list --state /nonexistent",
  );
  const lines = out.split("\n");
  assert.match(lines[0] ?? "", /^FAULT +ON +DESCRIPTION$/);
  assert.ok(lines.some((line) => /^blackhole +- +\S/.test(line)));
  assert.equal(status, 0);
});

Deno.test("cluster fault list takes no arguments", async () => {
  const { err, status } = await run("cluster fault list x");
  assert.match(err, /^error: Unexpected argument "x"\n/);
  assert.equal(status, 2);
});
