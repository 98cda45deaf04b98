import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

Deno.test("PacketCapture begins with a header, honours the filter, and knows the links of the node", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const identity = await cluster.identify(["os:operator"]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    const filter = (k: number) => ({ op: 6, jt: 0, jf: 0, k });
    const sizes: number[] = [];
    for await (
      const { bytes } of client.machine.packetCapture({
        interface: "eth0",
        bpfFilter: [filter(20)],
      })
    ) {
      sizes.push(bytes.length);
      if (sizes.length === 3) break;
    }
    assert.deepEqual(sizes, [24, 36, 36]);
    for (
      const [request, error] of [
        [
          { interface: "eth7" },
          new RpcError("NOT_FOUND", 'interface "eth7" not found'),
        ],
        [
          { interface: "eth0", bpfFilter: [{ op: 5, jt: 0, jf: 0, k: 7 }] },
          new RpcError(
            "UNKNOWN",
            "error setting BPF filter: setsockopt: invalid argument",
          ),
        ],
      ] as const
    ) {
      await assert.rejects(
        Array.fromAsync(client.machine.packetCapture(request)),
        error,
      );
    }
  });
});
