import assert from "node:assert/strict";
import { run } from "../_run.ts";

Deno.test("options lists the flags of every command, which pages only point to", async () => {
  const { out, status } = await run("options");
  assert.match(out, /^ {2}-n, --nodes strings +nodes to act on: /m);
  assert.match(
    out,
    /^ {6}--color string .*\(one of auto, always, never; default auto\)$/m,
  );
  assert.equal(status, 0);
  const page = await run("memory -h");
  assert.doesNotMatch(page.out, /--osconfig/);
  assert.match(page.out, /\nRun "osctl options" for the flags that/);
});
