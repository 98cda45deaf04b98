import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { adminAccess } from "./_access.ts";
import { openKubernetes } from "../../../workflows/kubernetes/client.ts";

Deno.test("control planes that share an address have a port each, workers none", async () => {
  await withCluster({ controlplanes: 2, workers: 1 }, ({ nodes }) => {
    const urls = nodes.map(({ cluster, origin }) =>
      cluster.kubernetesUrl?.(origin.address)
    );
    assert.match(urls[0] ?? "", /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.match(urls[1] ?? "", /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.notEqual(urls[0], urls[1]);
    assert.equal(urls[2], undefined);
    return Promise.resolve();
  });
});

Deno.test(
  "control planes with addresses of their own name the first one, on the usual port",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    // Of a part of 127.0.0.0/8 that nothing else here takes.
    const number = Deno.pid % 250;
    const hosts = [2, 3].map((last) => `127.199.${number}.${last}`);
    const places = (index: number) => ({ host: hosts[index]!, port: 50_000 });
    await withCluster({ controlplanes: 2, places }, async (cluster) => {
      const { nodes } = cluster;
      const url = `https://${hosts[0]}:6443`;
      assert.deepEqual(
        nodes.map(({ cluster, origin }) =>
          cluster.kubernetesUrl?.(origin.address)
        ),
        [url, url],
      );
      const access = await adminAccess(cluster);
      const second = { ...access, server: `https://${hosts[1]}:6443` };
      for (const one of [access, second]) {
        using kubernetes = openKubernetes(one);
        const { signal } = new AbortController();
        const { gitVersion } = await kubernetes.request("/version", { signal });
        assert.equal(gitVersion, "v1.34.1");
      }
    });
  },
);
