import assert from "node:assert/strict";

import { testWithClusters, words } from "../_gen_config/_cluster.ts";

testWithClusters(
  "machineconfig gen is gen config, with the same flags",
  async ({ gen, osctl }) => {
    const flags = "-t controlplane -o - --persist=false".split(" ");
    const { out } = await gen(flags);
    for (const group of ["machineconfig", "mc"]) {
      const line = [group, "gen", ...words.slice(2), ...flags];
      assert.equal((await osctl(line)).out, out);
    }
  },
);
