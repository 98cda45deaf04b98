import assert from "node:assert/strict";
import { newDatabase } from "../../../simulator/etcd/database.ts";
import type { EtcdClient } from "../../../simulator/state/etcd.ts";
import { modelClient } from "../../../simulator/etcd/model_client.ts";
import {
  elect,
  type EtcdModelCluster,
  newCluster,
} from "../../../simulator/etcd/model_cluster.ts";

interface Served {
  readonly cluster: EtcdModelCluster;
  readonly client: (id: bigint) => EtcdClient;
  readonly changes: () => number;
}

/** Members with the identities 1 and up, of which some run. */
function serve(count: number, running: readonly bigint[]): Served {
  const members = Array.from({ length: count }, (_, index) => ({
    id: BigInt(index + 1),
    name: `cp-${index + 1}`,
    peerUrl: `https://10.0.0.${index + 1}:2380`,
  }));
  const cluster = newCluster(members, {
    database: newDatabase("lab"),
    version: "3.6.11",
  });
  running.forEach((id) => cluster.running.add(id));
  elect(cluster);
  let changes = 0;
  const client = (id: bigint) =>
    modelClient({
      cluster: () => cluster.running.has(id) ? cluster : undefined,
      id: () => id,
      endpoint: () => `10.0.0.${id}:2379`,
      newId: () => 42n,
      changed: () => Promise.resolve(void changes++),
    });
  return { cluster, client, changes: () => changes };
}

function refuses(answer: Promise<unknown>, message: string): Promise<void> {
  return assert.rejects(answer, { name: "EtcdError", message });
}

Deno.test("a server that does not run refuses the connection", async () => {
  const client = serve(2, [1n]).client(2n);
  await assert.rejects(client.status(), {
    name: "EtcdError",
    code: "UNAVAILABLE",
    message:
      'connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.2:2379: connect: connection refused"',
  });
  await assert.rejects(client.defragment(), { code: "UNAVAILABLE" });
});

Deno.test("members without a leader tell of themselves, and of nothing else", async () => {
  const client = serve(3, [1n]).client(1n);
  const { leader, errors } = await client.status();
  assert.deepEqual([leader, errors], [0n, ["etcdserver: no leader"]]);
  const { signal } = new AbortController();
  await refuses(client.members(), "etcdserver: no leader");
  await refuses(client.checkQuorum(signal), "etcdserver: no leader");
  await refuses(client.remove(2n), "etcdserver: no leader");
});

Deno.test("a member is added, gets its vote and is removed again", async () => {
  const { cluster, client, changes } = serve(1, [1n]);
  const own = client(1n);
  assert.equal(await own.addLearner("https://10.0.0.9:2380"), 42n);
  cluster.running.add(42n);
  await refuses(
    client(42n).members(),
    "etcdserver: rpc not supported for learner",
  );
  assert.equal((await client(42n).status()).isLearner, true);
  await own.promote(42n);
  assert.deepEqual((await own.members()).map(({ isLearner }) => isLearner), [
    false,
    false,
  ]);
  await own.remove(42n);
  assert.deepEqual((await own.members()).map(({ id }) => id), [1n]);
  assert.equal(changes(), 3);
});

Deno.test("a status says where the member is, and what is wrong with all", async () => {
  const { client } = serve(1, [1n]);
  const own = client(1n);
  await own.raise("NOSPACE");
  await own.raise("NOSPACE");
  const { dbSize, dbSizeInUse, ...status } = await own.status();
  assert.deepEqual(status, {
    memberId: 1n,
    protocolVersion: "3.6.11",
    storageVersion: "3.6.0",
    leader: 1n,
    raftIndex: 22n,
    raftTerm: 2n,
    raftAppliedIndex: 22n,
    errors: ["memberID:1 alarm:NOSPACE "],
    isLearner: false,
  });
  assert.equal(dbSize - dbSizeInUse, 65536n);
});

Deno.test("a database is defragmented for one member alone", async () => {
  const { client, changes } = serve(2, [1n, 2n]);
  await client(1n).defragment();
  const slack = async (id: bigint) => {
    const { dbSize, dbSizeInUse } = await client(id).status();
    return dbSize - dbSizeInUse;
  };
  assert.deepEqual([await slack(1n), await slack(2n)], [0n, 65536n]);
  assert.equal(changes(), 1);
});

Deno.test("a downgrade goes to the version before, once at a time", async () => {
  const { cluster, client } = serve(1, [1n]);
  const { downgrade } = client(1n);
  await refuses(
    downgrade("CANCEL", ""),
    "etcdserver: no inflight downgrade job",
  );
  await refuses(
    downgrade("VALIDATE", "3"),
    "etcdserver: wrong downgrade target version format",
  );
  await refuses(
    downgrade("VALIDATE", "3.4.0"),
    "etcdserver: invalid downgrade target version",
  );
  assert.equal(await downgrade("VALIDATE", "3.5"), "3.6");
  assert.equal(cluster.downgrade, "");
  assert.equal(await downgrade("ENABLE", "3.5.0"), "3.6");
  assert.equal(cluster.downgrade, "3.5");
  await refuses(
    downgrade("ENABLE", "3.5.0"),
    "etcdserver: cluster has a downgrade job in progress",
  );
  assert.equal(await downgrade("CANCEL", ""), "3.6");
  assert.equal(cluster.downgrade, "");
});
