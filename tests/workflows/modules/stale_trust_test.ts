import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { withRunner } from "../../_step_site.ts";
import { listStaleTrust } from "../../../workflows/modules/stale_trust.ts";

Deno.test("k8s.listStaleTrust looks for pods from before the new authority was made", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async (cluster) => {
      await withRunner({ cluster, folder }, async ({ read, site }) => {
        await read("ca.generate", { kind: "kubernetes" });
        const there = await site();
        assert.ok(listStaleTrust.kind === "read");
        const pod = {
          metadata: { namespace: "default", name: "old" },
          spec: { nodeName: "a" },
          status: { startTime: "2020-01-01T00:00:00Z", phase: "Running" },
        };
        const steps = listStaleTrust.read({
          ...there,
          cluster: {
            ...there.cluster,
            kubernetes: () =>
              Promise.resolve({
                request: () => Promise.resolve({ items: [pod] }),
                [Symbol.dispose]() {},
              }),
          },
        }, {});
        await steps.next();
        const { value } = await steps.next();
        assert.deepEqual(value, {
          pods: [{
            namespace: "default",
            name: "old",
            node: "a",
            startedAt: "2020-01-01T00:00:00Z",
          }],
          total: 1,
        });
      });
    });
  });
});
