import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { withCluster } from "../_cluster.ts";
import { testClient } from "./_client.ts";

Deno.test("a node without configuration shows resources and disks to anybody, and little else", async () => {
  await withCluster({ unconfigured: () => true }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      metadata: { nodes: ["10.9.9.9"] },
    });
    const { messages } = await client.storage.disks({});
    assert.deepEqual(
      messages[0]!.disks.map(({ deviceName }) => deviceName),
      ["/dev/loop0", "/dev/vda"],
    );
    const { resource } = await client.state.get({
      namespace: "runtime",
      type: "MachineStatuses.runtime.talos.dev",
      id: "machine",
    });
    assert.match(resource!.spec!.yamlSpec, /^stage: maintenance\n/);
    await assert.rejects(
      client.state.get({
        namespace: "config",
        type: "MachineConfigs.config.talos.dev",
        id: "v1alpha1",
      }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    await assert.rejects(
      client.machine.version({}),
      new RpcError(
        "UNIMPLEMENTED",
        "API is not implemented in maintenance mode",
      ),
    );
    await assert.rejects(
      client.machine.serviceList({}),
      new RpcError("UNIMPLEMENTED", "method ServiceList not implemented"),
    );
    await assert.rejects(
      client.time.time({}),
      new RpcError("UNIMPLEMENTED", "unknown service time.TimeService"),
    );
  });
});

Deno.test("a node loses its configuration and gets it back", async () => {
  await withCluster({}, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    await cluster.setFault("10.5.0.2", "maintenance");
    using anybody = testClient({ endpoint });
    assert.equal((await anybody.storage.disks({})).messages.length, 1);
    await cluster.setFault("10.5.0.2", "maintenance", false);
    using admin = testClient({ endpoint, identity: cluster.adminIdentity });
    assert.equal((await admin.machine.version({})).messages.length, 1);
  });
});

Deno.test("a node without configuration asks for roles since v1.13", async () => {
  const options = { unconfigured: () => true, release: { tag: "v1.13.0" } };
  await withCluster(options, async (cluster) => {
    using client = testClient({ endpoint: cluster.endpoints[0]! });
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]!.version!.tag, "v1.13.0");
    assert.equal((await client.time.time({})).messages.length, 1);
    await assert.rejects(
      client.machine.metaDelete({ key: 1 }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});

Deno.test("nodes before v1.11 do not know what came with it", async () => {
  await withCluster({ release: { tag: "v1.10.4" } }, async (cluster) => {
    const identity = cluster.adminIdentity;
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    await assert.rejects(
      client.storage.blockDeviceWipe({ devices: [] }),
      new RpcError(
        "UNIMPLEMENTED",
        "unknown method BlockDeviceWipe for service storage.StorageService",
      ),
    );
  });
});
