import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("cluster stand-in needs the configuration of a node", async () => {
  const { err, status } = await run("cluster stand-in");
  assert.equal(
    err,
    `error: Cannot start a stand-in node: USERDATA is not set
hint: Start it with "osctl cluster create docker"
`,
  );
  assert.equal(status, 2);
});
