import assert from "node:assert/strict";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";

Deno.test("a cluster names its endpoints, and every node that listens", async () => {
  const addresses = (index: number) =>
    index === 2
      ? undefined
      : { host: "127.0.0.1", port: 0, address: `10.0.0.${index}` };
  await withCluster(
    { name: "lab", controlplanes: 2, workers: 2, addresses },
    (cluster) => {
      assert.equal(cluster.name, "lab");
      assert.deepEqual([...cluster.listening.keys()], [
        "10.0.0.0",
        "10.0.0.1",
        "10.0.0.3",
      ]);
      assert.deepEqual(
        cluster.endpoints,
        [...cluster.listening.values()].slice(0, 2),
      );
      assert.deepEqual(
        cluster.nodes.map(({ identity }) =>
          `${identity.hostname} ${identity.address}`
        ),
        [
          "lab-controlplane-1 10.0.0.0",
          "lab-controlplane-2 10.0.0.1",
          "lab-worker-1 10.5.0.4",
          "lab-worker-2 10.0.0.3",
        ],
      );
      return Promise.resolve();
    },
  );
});

Deno.test("a cluster that finds no room stops what it has started", async () => {
  await withCluster({}, async ({ endpoints }) => {
    const port = Number(endpoints[0]!.split(":")[1]);
    const addresses = (index: number) => ({
      host: "127.0.0.1",
      port: index === 0 ? 0 : port,
    });
    await assert.rejects(startCluster({ workers: 1, addresses }), {
      code: "EADDRINUSE",
    });
  });
});

Deno.test("an unknown node cannot be made to fail", async () => {
  await withCluster({}, (cluster) => {
    assert.throws(
      () => cluster.setFault("nobody", "slow"),
      new RangeError('No simulated node is named "nobody"'),
    );
    return Promise.resolve();
  });
});
