import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
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
          sha: "42ce2b26",
          built: "",
          goVersion: "go1.26.6",
          os: "linux",
          arch: "arm64",
        },
        platform: { name: "metal", mode: "metal" },
        features: { rbac: true },
      });
    },
  );
});

Deno.test("Time asks the default server, TimeCheck the one it is given", async () => {
  await withCluster({}, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    const { messages: [time] } = await client.time.time({});
    assert.equal(time!.server, "time.cloudflare.com");
    assert.ok(
      Math.abs(Number(time!.localtime!.seconds) - Date.now() / 1000) < 10,
    );
    const { messages: [check] } = await client.time.timeCheck({
      server: "ntp.example",
    });
    assert.equal(check!.server, "ntp.example");
  });
});

Deno.test("a clock that is off is compared with a right one", async () => {
  await withCluster({}, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await setFault(cluster.nodes[0]!, "clock-skew", { ms: 60_000 });
    const { messages: [time] } = await client.time.time({});
    const ahead = time!.localtime!.seconds - time!.remotetime!.seconds;
    assert.ok(ahead === 60n || ahead === 59n, `${ahead} s`);
  });
});
