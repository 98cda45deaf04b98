import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { withRunner } from "../../_step_site.ts";
import { reportTrust } from "../../../workflows/ca/report.ts";

Deno.test("a report tells of both authorities of each node, and of nodes that do not answer", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async (cluster) => {
      await withRunner({ cluster, folder }, async ({ site, read, change }) => {
        const { ca, fingerprint, old } = await read("ca.generate", {
          kind: "os",
        });
        await change("ca.accept", { kind: "os", ca: ca! }, "10.5.0.2");
        const exchange = {
          old: String(old),
          new: String(fingerprint),
          kept: [],
        };
        const nodes = ["10.5.0.2", "10.5.0.9"];
        const [os, kubernetes, away] = await reportTrust(
          (await site()).cluster,
          nodes,
          { os: exchange },
        );
        assert.deepEqual(os, {
          node: "10.5.0.2",
          kind: "os",
          issuing: old,
          accepted: [fingerprint],
          state: "accepting",
          error: null,
        });
        assert.equal(kubernetes?.kind, "kubernetes");
        assert.equal(kubernetes?.state, null);
        assert.deepEqual(kubernetes?.accepted, []);
        assert.deepEqual(away, {
          ...away,
          node: "10.5.0.9",
          kind: "os",
          issuing: null,
          accepted: [],
          state: null,
        });
        assert.notEqual(away?.error, null);
      });
    });
  });
});
