import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

Deno.test("Version tells the release, the platform and what the node can do", async () => {
  await withCluster(
    { release: { tag: "v1.13.2", arch: "arm64" } },
    async (cluster) => {
      using client = testClient({
        endpoint: cluster.endpoints[0]!,
        identity: cluster.adminIdentity,
      });
      const { messages: [version] } = await client.machine.version({});
      assert.deepEqual(version, {
        metadata: undefined,
        version: {
          tag: "v1.13.2",
          sha: "5f2c31d8",
          built: "",
          goVersion: "go1.25.9",
          os: "linux",
          arch: "arm64",
        },
        platform: { name: "metal", mode: "metal" },
        features: { rbac: true },
      });
    },
  );
});
