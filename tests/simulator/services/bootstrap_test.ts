import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  newDatabase,
  readSnapshot,
  writeSnapshot,
} from "../../../simulator/etcd/database.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootstrap } from "../../../simulator/services/etcd.ts";
import type { NodeCall } from "../../../simulator/services/handlers.ts";
import { withCluster } from "../../_cluster.ts";
import { clientOf } from "../_faults.ts";
import { madeNodes } from "../_node.ts";
import { keysOf } from "../etcd/_keys.ts";

const place = { members: [], version: "3.6.0", index: 40n, term: 7n };

const snapshot = await writeSnapshot(newDatabase("before"), place);

const plain = { recoverEtcd: false, recoverSkipHashCheck: false };

function callOf(node: SimulatedNode): NodeCall {
  const { signal } = new AbortController();
  return { node, roles: new Set(["os:admin"]), signal };
}

/** Sends a snapshot in two parts. */
async function send(node: SimulatedNode, bytes: Uint8Array): Promise<unknown> {
  async function* parts() {
    for (const part of [bytes.subarray(0, 1000), bytes.subarray(1000)]) {
      yield { bytes: part, metadata: undefined };
    }
  }
  return await bootstrap.etcdRecover!(parts(), callOf(node));
}

Deno.test("Bootstrap begins a cluster, once", async () => {
  await withCluster({ bootstrapped: false }, async (cluster) => {
    const [node] = cluster.nodes;
    using client = clientOf(cluster, "10.5.0.2");
    assert.equal(node!.boot.ready, false);
    await client.machine.bootstrap(plain);
    await cluster.settled();
    assert.equal(node!.boot.ready, true);
    const messages = node!.boot.services.get("etcd")?.events.map((one) =>
      one.message
    );
    assert.ok(messages?.includes("Bootstrap requested"), `${messages}`);
    await assert.rejects(
      client.machine.bootstrap(plain),
      new RpcError("ALREADY_EXISTS", "etcd data directory is not empty"),
    );
  });
});

Deno.test("a worker begins no cluster and takes no snapshot", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const [, worker] = cluster.nodes;
    using client = clientOf(cluster, "10.5.0.3");
    await assert.rejects(
      client.machine.bootstrap(plain),
      new RpcError(
        "FAILED_PRECONDITION",
        "bootstrap can only be performed on a control plane node",
      ),
    );
    await assert.rejects(
      send(worker!, snapshot),
      new RpcError(
        "UNIMPLEMENTED",
        "etcd recover is only available on control plane nodes",
      ),
    );
  });
});

Deno.test("a node that has not started its runtime does neither yet", async () => {
  const [node] = await madeNodes();
  await assert.rejects(
    async () => await bootstrap.bootstrap!(plain, callOf(node!)),
    new RpcError("FAILED_PRECONDITION", "bootstrap is not available yet"),
  );
  await assert.rejects(
    send(node!, snapshot),
    new RpcError(
      "FAILED_PRECONDITION",
      "etcd service is not ready for recovery yet",
    ),
  );
});

Deno.test("Bootstrap begins with the snapshot that was sent, in a cluster of its own", async () => {
  await withCluster({ bootstrapped: false }, async (cluster) => {
    const [node] = cluster.nodes;
    await send(node!, snapshot);
    using client = clientOf(cluster, "10.5.0.2");
    await client.machine.bootstrap({ ...plain, recoverEtcd: true });
    await cluster.settled();
    assert.equal(node!.boot.ready, true);
    const [member, ...others] = await node!.etcd.server.client.members();
    assert.equal(member?.name, "simulated-controlplane-1");
    assert.deepEqual(others, []);
    const now = new Response(
      ReadableStream.from(node!.etcd.server.client.snapshot()),
    );
    const keys = keysOf(await readSnapshot(await now.bytes(), false));
    assert.equal(
      keys.get("/registry/namespaces/default"),
      '{"key":"namespaces/default","cluster":"before"}',
    );
  });
});

Deno.test("a snapshot without its sum is restored only where the sum does not matter", async () => {
  const database = snapshot.subarray(0, -32);
  await withCluster({ bootstrapped: false }, async (cluster) => {
    const [node] = cluster.nodes;
    using client = clientOf(cluster, "10.5.0.2");
    await send(node!, database);
    await client.machine.bootstrap({ ...plain, recoverEtcd: true });
    await cluster.settled();
    const { state, events } = node!.boot.services.get("etcd")!;
    assert.deepEqual([state, events.at(-1)?.message], [
      "Failed",
      "Failed to run pre stage: error recovering from the snapshot: snapshot missing hash but --skip-hash-check=false",
    ]);
    await client.machine.bootstrap({
      recoverEtcd: true,
      recoverSkipHashCheck: true,
    });
    await cluster.settled();
    assert.equal(node!.boot.services.get("etcd")?.state, "Running");
  });
});
