import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

Deno.test("repeated metadata reaches the endpoint as several values", async () => {
  await withCluster({ workers: 2 }, async (cluster) => {
    const metadata = { nodes: ["10.5.0.3", "10.5.0.4"] };
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata,
    });
    const { messages } = await client.machine.hostname({});
    assert.deepEqual(messages.map(({ hostname }) => hostname).sort(), [
      "simulated-worker-1",
      "simulated-worker-2",
    ]);
  });
});

Deno.test("a caller that goes away ends what was done for it", async () => {
  await withCluster({}, async (cluster) => {
    const [node] = cluster.nodes;
    let reading = 0;
    const log = node!.boot.logs.get("syslogd")!;
    node!.boot.logs.set("syslogd", {
      ...log,
      async waitFor(position, signal) {
        reading++;
        await log.waitFor(position, signal);
        if (signal.aborted) reading = -1;
      },
    });
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    for await (
      const _ of client.machine.logs({
        namespace: "system",
        id: "syslogd",
        follow: true,
        tailLines: -1,
      })
    ) {
      if (reading >= 0) break;
    }
    while (reading !== -1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });
});
