import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../_store.ts";
import { testClient } from "../_client.ts";
import { clientOf, worker } from "../_faults.ts";
import { specs } from "../_resources.ts";

const encoder = new TextEncoder();

Deno.test("MetaWrite keeps a value over reboots, and MetaDelete removes it", async () => {
  const pace = { stopMs: 10, downMs: 0 };
  await withCluster({ workers: 1, pace }, async (cluster) => {
    using client = clientOf(cluster);
    await client.machine.metaWrite({ key: 10, value: encoder.encode("a: b") });
    await cluster.reboot(worker);
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {
      "0x0a": { value: "a: b" },
    });
    const { messages } = await client.machine.metaDelete({ key: 10 });
    assert.equal(messages.length, 1);
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {});
  });
});

Deno.test("a value is there when the process starts again", async () => {
  const options = { store: storeIn(new Map()) };
  const first = await startCluster(options);
  using client = clientOf(first, "10.5.0.2");
  await client.machine.metaWrite({ key: 255, value: new Uint8Array([0xff]) });
  await first.stop();
  await withCluster(options, ({ nodes }) => {
    assert.deepEqual([...nodes[0]!.disk.meta], [[255, new Uint8Array([0xff])]]);
    return Promise.resolve();
  });
});

Deno.test("MetaWrite and MetaDelete refuse what does not fit", async () => {
  await withCluster({}, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.2");
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

Deno.test("only administrators write, and no client does in maintenance mode", async () => {
  await withCluster({}, async (cluster) => {
    const identity = await cluster.identify(["os:operator"]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    await assert.rejects(
      client.machine.metaDelete({ key: 1 }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
  await withCluster({ unconfigured: () => true }, async (cluster) => {
    using client = testClient({ endpoint: cluster.endpoints[0]! });
    await assert.rejects(
      client.machine.metaDelete({ key: 1 }),
      new RpcError(
        "UNIMPLEMENTED",
        "API is not implemented in maintenance mode",
      ),
    );
  });
});
