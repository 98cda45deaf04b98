import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

Deno.test("Time asks the default server, TimeCheck the one it is told", async () => {
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
