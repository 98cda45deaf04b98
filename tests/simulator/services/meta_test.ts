import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../_cluster_store.ts";
import { openClient } from "../_faults.ts";

const encoder = new TextEncoder();

Deno.test("a value is there when the process starts again", async () => {
  const options = { store: storeIn(new Map()) };
  const first = await startCluster(options);
  using client = openClient(first, "10.5.0.2");
  await client.machine.metaWrite({ key: 255, value: new Uint8Array([0xff]) });
  await first.stop();
  await withCluster(options, ({ nodes }) => {
    assert.deepEqual([...nodes[0]!.disk.meta], [[255, new Uint8Array([0xff])]]);
    return Promise.resolve();
  });
});

Deno.test("MetaWrite and MetaDelete refuse what does not fit", async () => {
  await withCluster({}, async (cluster) => {
    using client = openClient(cluster, "10.5.0.2");
    const value = encoder.encode("x");
    const wrong = new RpcError("INVALID_ARGUMENT", "key must be a uint8");
    await assert.rejects(client.machine.metaWrite({ key: 256, value }), wrong);
    await assert.rejects(client.machine.metaDelete({ key: 256 }), wrong);
    await assert.rejects(
      client.machine.metaWrite({ key: 1, value: new Uint8Array(262_144) }),
      new RpcError("RESOURCE_EXHAUSTED", "meta write failed"),
    );
    await assert.rejects(
      client.machine.metaDelete({ key: 1 }),
      new RpcError("NOT_FOUND", "meta key not found"),
    );
  });
});
