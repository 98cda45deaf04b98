import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { withRunner } from "../../_step_site.ts";

Deno.test("node.collectSupport keeps what a node says in the folder of the run, without secrets", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async (cluster) => {
      await withRunner({ cluster, folder }, async ({ read }) => {
        const node = "10.5.0.2";
        const found = await read("node.collectSupport", {}, node);
        assert.match(
          String(found.folder),
          new RegExp(`^${folder}/support-10\\.5\\.0\\.2-\\d{8}T\\d{6}Z$`),
        );
        assert.deepEqual(found.missing, [
          'logs/dashboard.log: log "dashboard" was not registered',
        ]);
        assert.ok(Number(found.files) > 50);
        const log = await Deno.readTextFile(
          `${found.folder}/logs/machined.log`,
        );
        assert.notEqual(log, "");
        const resources: string[] = [];
        for await (
          const { name } of Deno.readDir(`${found.folder}/resources`)
        ) resources.push(name);
        assert.ok(resources.some((name) => name.startsWith("members.")));
        assert.ok(!resources.some((name) => name.startsWith("machineconfig")));
        assert.ok(!resources.some((name) => /secrets?\./.test(name)));
      });
    });
  });
});
