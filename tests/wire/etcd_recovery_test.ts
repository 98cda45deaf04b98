import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import type { EtcdModel } from "../../simulator/etcd/model_backend.ts";
import { withCluster } from "../_cluster.ts";
import { backends, realNeeds, withEtcdctl } from "../_etcd.ts";
import { needs } from "../_needs.ts";
import { type TestClient, testClient } from "../simulator/_client.ts";
import { readKeys } from "../simulator/etcd/_keys.ts";
import { minor } from "../_version.ts";

/** A client of one node. */
function openClient(cluster: RunningCluster, index = 0): TestClient {
  const { address } = cluster.nodes[index]!.identity;
  return testClient({
    endpoint: cluster.endpoints[0]!,
    identity: cluster.adminIdentity,
    metadata: { node: [address] },
  });
}

/** The database of a node, with its sum. */
async function takeSnapshot(
  cluster: RunningCluster,
): Promise<Uint8Array<ArrayBuffer>> {
  using client = openClient(cluster);
  const parts = await Array.fromAsync(client.machine.etcdSnapshot({}));
  assert.ok(parts.every(({ bytes }) => bytes.length <= 1024));
  return await new Blob(
    parts.map(({ bytes }) => bytes as Uint8Array<ArrayBuffer>),
  ).bytes();
}

/** Sends a snapshot in the parts that clients send. */
async function upload(client: TestClient, snapshot: Uint8Array): Promise<void> {
  async function* parts() {
    for (let start = 0; start < snapshot.length; start += 4096) {
      yield { bytes: snapshot.subarray(start, start + 4096) };
    }
  }
  const { messages } = await client.machine.etcdRecover(parts());
  assert.equal(messages.length, 1);
}

function etcdService({ nodes }: RunningCluster, index = 0) {
  return nodes[index]!.boot.services.get("etcd")!;
}

function listUnmet({ nodes }: RunningCluster, index: number) {
  const key = {
    namespace: "runtime",
    type: "MachineStatuses.runtime.talos.dev",
    id: "machine",
  };
  return nodes[index]!.boot.resources.get(key)?.spec;
}

for (const { name, etcd, wants } of backends) {
  Deno.test({
    name:
      `a cluster waits for Bootstrap, then all control planes join (${name})`,
    ...needs(...wants),
    async fn() {
      const options = {
        controlplanes: 3,
        workers: 1,
        bootstrapped: false,
        etcd,
      };
      await withCluster(options, async (cluster) => {
        assert.deepEqual(listUnmet(cluster, 1), {
          stage: "booting",
          status: {
            ready: false,
            unmetConditions: [
              { name: "services", reason: "etcd not running" },
              {
                name: "nodeReady",
                reason:
                  'node "simulated-controlplane-2" status is not available yet',
              },
            ],
          },
        });
        assert.deepEqual(listUnmet(cluster, 3), {
          stage: "running",
          status: {
            ready: false,
            unmetConditions: [{
              name: "nodeReady",
              reason: 'node "simulated-worker-1" status is not available yet',
            }],
          },
        });
        const { state, events } = etcdService(cluster);
        assert.equal(state, "Preparing");
        assert.equal(events.at(-1)!.message, "Running pre state");
        using client = openClient(cluster);
        assert.equal((await client.machine.bootstrap({})).messages.length, 1);
        await cluster.settled();
        assert.deepEqual(
          cluster.nodes.map(({ boot: { ready } }) => ready),
          [true, true, true, true],
        );
        const members = await client.machine.etcdMemberList({});
        assert.deepEqual(
          members.messages[0]!.members.map(({ isLearner }) => isLearner),
          [false, false, false],
        );
        using second = openClient(cluster, 1);
        for (const { machine } of [client, second]) {
          await assert.rejects(
            machine.bootstrap({}),
            new RpcError("ALREADY_EXISTS", "etcd data directory is not empty"),
          );
        }
        using worker = openClient(cluster, 3);
        await assert.rejects(
          worker.machine.bootstrap({}),
          minor < 13
            ? new RpcError(
              "FAILED_PRECONDITION",
              "bootstrap can only be performed on a control plane node",
            )
            : new RpcError(
              "UNIMPLEMENTED",
              "bootstrap is only available on control plane nodes",
            ),
        );
      });
    },
  });

  Deno.test({
    name:
      `a snapshot whose sum is wrong is refused, unless that does not matter (${name})`,
    ...needs(...wants),
    async fn() {
      let snapshot = new Uint8Array();
      await withCluster({ etcd }, async (cluster) => {
        snapshot = await takeSnapshot(cluster);
      });
      assert.equal(snapshot.length % 512, 32);
      // Behind all data, where nothing but the sum notices.
      snapshot[snapshot.length - 33]! ^= 1;
      await withCluster({ bootstrapped: false, etcd }, async (cluster) => {
        using client = openClient(cluster);
        await upload(client, snapshot);
        await client.machine.bootstrap({ recoverEtcd: true });
        await cluster.settled();
        assert.equal(etcdService(cluster).state, "Failed");
        assert.match(
          etcdService(cluster).events.at(-1)!.message,
          /^Failed to run pre stage: error recovering from the snapshot: expected sha256 \[\d+ .*\], got \[\d+ .*\]$/,
        );
        await upload(client, snapshot);
        await client.machine.bootstrap({
          recoverEtcd: true,
          recoverSkipHashCheck: true,
        });
        await cluster.settled();
        assert.equal(etcdService(cluster).health.healthy, true);
        assert.equal(cluster.nodes[0]!.boot.ready, true);
      });
    },
  });

  Deno.test({
    name:
      `there is nothing to recover from before a snapshot was sent (${name})`,
    ...needs(...wants),
    async fn() {
      await withCluster({ bootstrapped: false, etcd }, async (cluster) => {
        using client = openClient(cluster);
        await client.machine.bootstrap({ recoverEtcd: true });
        await cluster.settled();
        assert.equal(
          etcdService(cluster).events.at(-1)!.message,
          "Failed to run pre stage: error verifying snapshot: stat /var/lib/etcd.snapshot: no such file or directory",
        );
      });
    },
  });
}

Deno.test("a cluster that begins with a snapshot has its keys (model)", async () => {
  const keysIn = ({ nodes }: RunningCluster) => {
    // As the option says.
    const { data } = nodes[0]!.cluster.etcd.backend as EtcdModel;
    return readKeys(data.get("simulated-controlplane-1")!.cluster.database);
  };
  await withCluster({}, async (cluster) => {
    const snapshot = await takeSnapshot(cluster);
    await withCluster({ bootstrapped: false }, async (restored) => {
      using client = openClient(restored);
      await upload(client, snapshot);
      await client.machine.bootstrap({ recoverEtcd: true });
      await restored.settled();
      assert.ok(keysIn(cluster).has("/registry/namespaces/kube-system"));
      assert.deepEqual(keysIn(restored), keysIn(cluster));
    });
  });
});

Deno.test({
  name: "a cluster that begins with a snapshot has its keys (real)",
  ...needs(...realNeeds),
  async fn() {
    let snapshot = new Uint8Array();
    let keys = "";
    await withEtcdctl({}, async (cluster, etcdctl) => {
      const [node] = cluster.nodes;
      for (const fruit of ["apple", "pear", "plum"]) {
        await etcdctl(node!, "put", `/fruit/${fruit}`, `a ${fruit}`);
      }
      keys = await etcdctl(node!, "get", "--prefix", "/");
      snapshot = await takeSnapshot(cluster);
    });
    const options = { controlplanes: 2, bootstrapped: false };
    await withEtcdctl(options, async (cluster, etcdctl) => {
      using client = openClient(cluster);
      await upload(client, snapshot);
      await client.machine.bootstrap({ recoverEtcd: true });
      await cluster.settled();
      assert.match(keys, /a plum/);
      for (const node of cluster.nodes) {
        assert.equal(await etcdctl(node, "get", "--prefix", "/"), keys);
      }
    });
  },
});
