import assert from "node:assert/strict";
import { run } from "../../_run.ts";
import { testWithClusters } from "../_gen_config/_cluster.ts";

testWithClusters(
  "gen config makes what --output-types says",
  async ({ gen }) => {
    const { out, err, status } = await gen("-t worker -o -");
    assert.deepEqual([err, status], ["generating PKI and tokens\n", 0]);
    assert.match(out, /^ {4}type: worker$/m);
  },
);

Deno.test("gen config wants a name and an endpoint", async () => {
  const { err, status } = await run("gen config c1");
  assert.equal(status, 2);
  assert.match(err, /cluster-endpoint/);
});
