import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("cluster stand-in takes the configuration of a node", async () => {
  const env = { USERDATA: "%" };
  const { err, status } = await run("cluster stand-in", {}, { env });
  assert.equal(err, "error: Cannot use USERDATA: it is not base64\n");
  assert.equal(status, 2);
});
