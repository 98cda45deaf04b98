import assert from "node:assert/strict";
import { quick, withRunHome } from "../runbook/_home.ts";

Deno.test("a run refuses selected nodes, which would be taken for a limit", async () => {
  await withRunHome(async ({ osctl, write, ids, names }) => {
    const file = await write(quick);
    for (const command of ["run", "plan"]) {
      const line = ["runbook", command, file, "--nodes", names[1] ?? ""];
      const { status, err } = await osctl(line);
      assert.equal(status, 2);
      assert.match(err, /hint: Select nodes with --limit/);
    }
    assert.deepEqual(await ids(), []);
  });
});
