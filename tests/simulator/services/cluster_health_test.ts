import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { stopService } from "../../../simulator/node/system_services.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

/** What the first node says until it ends, and the status of that. */
async function said(
  cluster: Parameters<Parameters<typeof withCluster>[1]>[0],
  seconds = 0n,
) {
  using client = testClient({
    endpoint: cluster.endpoints[0]!,
    identity: cluster.adminIdentity,
  });
  const messages: string[] = [];
  try {
    const waitTimeout = { seconds, nanos: 100_000_000 };
    for await (
      const { message } of client.cluster.healthCheck({ waitTimeout })
    ) messages.push(message);
    return { messages, code: "OK" };
  } catch (error) {
    return { messages, code: (error as { code?: string }).code };
  }
}

Deno.test("HealthCheck goes from one condition to the next", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const { messages, code } = await said(cluster);
    assert.equal(code, "OK");
    assert.deepEqual(messages.slice(0, 3), [
      'discovered nodes: ["10.5.0.2" "10.5.0.3"]',
      "waiting for etcd to be healthy: ...",
      "waiting for etcd to be healthy: OK",
    ]);
    assert.equal(messages.length, 33);
  });
});

Deno.test("HealthCheck gives up at what is missing", async () => {
  await withCluster({ controlplanes: 1, workers: 1 }, async (cluster) => {
    const [first, worker] = cluster.nodes;
    await setFault(worker!, "unavailable");
    const down = await said(cluster);
    assert.equal(down.code, "DEADLINE_EXCEEDED");
    assert.match(
      down.messages.at(-1) ?? "",
      /^waiting for apid to be ready: .* 10\.5\.0\.3:50000: connect: connection refused"$/,
    );
    await setFault(worker!, "unavailable", false);
    stopService(first!, "kubelet");
    const stopped = await said(cluster);
    assert.equal(
      stopped.messages.at(-1)?.split(": current")[0],
      'waiting for kubelet to be healthy: 10.5.0.2: service "kubelet" not in expected state "Running"',
    );
  });
});
