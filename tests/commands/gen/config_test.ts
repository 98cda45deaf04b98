import assert from "node:assert/strict";
import { testWithClusters } from "../_gen_config/_cluster.ts";

testWithClusters(
  "gen config makes what --output-types says",
  async ({ gen }) => {
    const { out, err, status } = await gen("-t worker -o -");
    assert.deepEqual([err, status], ["generating PKI and tokens\n", 0]);
    assert.match(out, /^ {4}type: worker$/m);
  },
);
