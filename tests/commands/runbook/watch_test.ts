import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("runbook watch needs a terminal, and names what does without", async () => {
  const { status, err } = await run("runbook watch");
  assert.equal(status, 2);
  assert.match(
    err,
    /Cannot watch a run without a terminal\n.*osctl runbook status --watch/,
  );
});
