import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { withRunner } from "../../_step_site.ts";

Deno.test("the authority of the node API is exchanged, and the old client is refused", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({ controlplanes: 3, workers: 1 }, async (cluster) => {
      await withRunner({ cluster, folder }, async (runner) => {
        const { read, changeAll } = runner;
        const { ca } = await read("ca.generate", { kind: "os" });
        await read("osconfig.issue", { ca: ca! });
        const input = { kind: "os", ca: ca! };
        const done = ["done", "done", "done", "done"];
        const unchanged = done.map(() => "unchanged");
        assert.deepEqual(await changeAll("ca.accept", input), done);
        assert.deepEqual(await changeAll("ca.accept", input), unchanged);
        assert.deepEqual(await changeAll("ca.issue", input), done);
        assert.deepEqual(await changeAll("ca.issue", input), unchanged);
        const drop = { kind: "os", which: "old" };
        assert.deepEqual(await changeAll("ca.drop", drop), done);
        assert.deepEqual(await changeAll("ca.drop", drop), unchanged);
        assert.deepEqual(await changeAll("ca.issue", input), unchanged);
      });
    });
  });
});
