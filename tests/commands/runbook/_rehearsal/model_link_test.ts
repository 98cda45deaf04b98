import assert from "node:assert/strict";
import { openModelLink } from "../../../../commands/runbook/_rehearsal/model_link.ts";
import { beginLife } from "../../../../workflows/rehearsal/life.ts";
import { newDisk } from "../../../../workflows/rehearsal/disk.ts";
import { withFolder } from "../../../_folder.ts";
import { withModel } from "./_model.ts";

Deno.test("a simulated process reaches nodes, Kubernetes and facts of a model cluster", async () => {
  await withModel({ workers: 1 }, async (cluster) => {
    await withFolder({}, async (folder) => {
      const life = beginLife({ clock: cluster.clock });
      const { vault } = await newDisk(folder);
      using link = await openModelLink(cluster, life, vault);
      const facts = await link.cluster.readFacts();
      assert.deepEqual(
        facts.nodes.map(({ name, version }) => [name, version]),
        [
          ["demo-controlplane-1", "v1.13.4"],
          ["demo-worker-1", "v1.13.4"],
        ],
      );
      assert.equal(facts.cluster.name, "demo");
      const kubernetes = await link.view.kubernetes();
      const { signal } = new AbortController();
      const { kind } = await kubernetes.request("/api/v1/nodes", { signal });
      assert.equal(kind, "NodeList");
      const client = await link.ring.at("context", "demo-worker-1", true);
      const { messages } = await client.machine.version({});
      assert.equal(messages[0]?.version?.tag, "v1.13.4");
      const others = link.reopen({
        nodes: ["demo-worker-1"],
        alsoAt: [],
        nodeTimeoutMs: 1_000,
      });
      assert.deepEqual(await others.names(), ["demo-worker-1"]);
      others.close();
      const all = await link.nodes.names();
      assert.equal(all.length, 2);
    });
  });
});
