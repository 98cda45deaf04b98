import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

Deno.test("Containers and Stats tell of the same containers", async () => {
  await withCluster({}, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    for (
      const request of [{ namespace: "system", driver: 0 }, {
        namespace: "k8s.io",
        driver: 1,
      }] as const
    ) {
      const { messages: [containers] } = await client.machine.containers(
        request,
      );
      const { messages: [stats] } = await client.machine.stats(request);
      const ids = containers!.containers.map(({ id }) => id);
      assert.deepEqual(stats!.stats.map(({ id }) => id), ids);
      assert.ok(ids.length > 0);
      assert.ok(
        containers!.containers.every(({ namespace }) =>
          namespace === request.namespace
        ),
      );
    }
    await assert.rejects(
      client.machine.containers({ namespace: "system", driver: 1 }),
      new RpcError(
        "UNKNOWN",
        "CRI inspector is supported only for K8s namespace",
      ),
    );
  });
});

Deno.test("Processes and Mounts are those of the node", async () => {
  await withCluster({}, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    const { messages: [processes] } = await client.machine.processes({});
    assert.equal(processes!.processes[0]!.executable, "/sbin/init");
    const { messages: [mounts] } = await client.machine.mounts({});
    const { filesystem, size, available } = mounts!.stats.at(-1)!;
    assert.deepEqual([filesystem, size, available], [
      "/dev/vda4",
      19_163_774_976n,
      16_672_484_229n,
    ]);
  });
});
