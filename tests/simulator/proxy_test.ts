import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { methodOf } from "../../transport/client.ts";
import {
  type HostnameResponse,
  MachineServiceDefinition,
} from "../../transport/gen/machine.ts";
import { withCluster } from "../_cluster.ts";
import { testClient } from "./_client.ts";

Deno.test("endpoint answers itself, without metadata, when no node is named", async () => {
  await withCluster({}, async ({ endpoints, adminIdentity: identity }) => {
    using client = testClient({ endpoint: endpoints[0]!, identity });
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]?.version?.tag, "v1.12.11");
    assert.equal(messages[0]?.metadata, undefined);
  });
});

Deno.test("endpoint forwards to one node without adding metadata", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata: { node: ["10.5.0.3"] },
    });
    const { messages } = await client.machine.hostname({});
    assert.deepEqual(messages, [{
      metadata: undefined,
      hostname: "simulated-worker-1",
    }]);
  });
});

Deno.test("endpoint merges the answers of several nodes; a failed one is a message", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata: { nodes: ["10.5.0.2", "10.5.0.3", "10.5.0.9"] },
    });
    const { methods } = MachineServiceDefinition;
    const { messages } = await client.transport.unary(
      methodOf(MachineServiceDefinition, methods.hostname),
      {},
      {},
    ) as HostnameResponse;
    const byNode = new Map(
      messages.map((message) => [message.metadata?.hostname, message]),
    );
    assert.equal(byNode.get("10.5.0.2")?.hostname, "simulated-controlplane-1");
    assert.equal(byNode.get("10.5.0.3")?.hostname, "simulated-worker-1");
    const text =
      'connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.9:50000: connect: no route to host"';
    assert.deepEqual(byNode.get("10.5.0.9"), {
      metadata: {
        hostname: "10.5.0.9",
        error: `rpc error: code = Unavailable desc = ${text}`,
        status: { code: 14, message: text, details: [] },
      },
      hostname: "",
    });
  });
});

Deno.test("endpoint refuses targets, and fan-outs of resources, as a node does", async () => {
  await withCluster(
    { workers: 1 },
    async ({ endpoints, adminIdentity: identity }) => {
      const endpoint = endpoints[0]!;
      const get = { namespace: "runtime", type: "x", id: "y" };
      using port = testClient({
        endpoint,
        identity,
        metadata: { node: ["10.5.0.3:50000"] },
      });
      await assert.rejects(
        port.machine.version({}),
        new RpcError("INTERNAL", 'invalid target "10.5.0.3:50000"'),
      );
      using many = testClient({
        endpoint,
        identity,
        metadata: { nodes: ["10.5.0.2"] },
      });
      await assert.rejects(
        many.state.get(get),
        new RpcError(
          "INVALID_ARGUMENT",
          "one-2-many proxying is not supported for COSI methods",
        ),
      );
      using two = testClient({
        endpoint,
        identity,
        metadata: { node: ["10.5.0.2", "10.5.0.3"] },
      });
      await assert.rejects(
        two.machine.version({}),
        new RpcError("INVALID_ARGUMENT", "node metadata must be single-valued"),
      );
      using nobody = testClient({
        endpoint,
        identity,
        metadata: { node: ["nobody"] },
      });
      await assert.rejects(
        nobody.machine.version({}),
        new RpcError(
          "UNAVAILABLE",
          "name resolver error: produced zero addresses",
        ),
      );
    },
  );
});

Deno.test("worker forwards nothing, and takes its own name for nobody", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const endpoint = cluster.listening.get("10.5.0.3")!;
    const identity = cluster.adminIdentity;
    for (
      const metadata of [{ node: ["10.5.0.3"] }, {
        nodes: ["simulated-worker-1"],
      }]
    ) {
      using own = testClient({ endpoint, identity, metadata });
      const { messages } = await own.machine.hostname({});
      assert.deepEqual(messages, [{
        metadata: undefined,
        hostname: "simulated-worker-1",
      }]);
    }
    using other = testClient({
      endpoint,
      identity,
      metadata: { node: ["10.5.0.2"] },
    });
    await assert.rejects(
      other.machine.hostname({}),
      new RpcError("PERMISSION_DENIED", "no request forwarding"),
    );
  });
});
