import assert from "node:assert/strict";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import type {
  EtcdServer,
  InitialCluster,
} from "../../../simulator/state/etcd.ts";
import {
  type EtcdModel,
  etcdModel,
} from "../../../simulator/etcd/model_backend.ts";
import { readKeys } from "./_keys.ts";

const version = "3.6.11";

// Models have no certificates.
const issuer = {} as CertificateAuthority;

function model(saved?: string): EtcdModel {
  return etcdModel({ saved, version });
}

/** Server of the control plane with a number. */
function findServer(backend: EtcdModel, number: number): EtcdServer {
  return backend.openServer({
    hostname: `cp-${number}`,
    address: `10.5.0.${number}`,
    machineType: "controlplane",
    uuid: `uuid-${number}`,
  });
}

function start(server: EtcdServer, number: number, initial?: InitialCluster) {
  return server.start({ name: `cp-${number}`, issuer, initial, log() {} });
}

/** Control planes with the numbers begin a cluster. */
function found(...numbers: readonly number[]): InitialCluster {
  const members = numbers.map((number) => ({
    name: `cp-${number}`,
    peerUrl: `https://10.5.0.${number}:2380`,
  }));
  return { isNew: true, members };
}

async function* parts(bytes: Iterable<Uint8Array>) {
  yield* bytes;
}

Deno.test("a server has data and runs from its first start on", async () => {
  const server = findServer(model(), 1);
  assert.deepEqual([server.isRunning(), await server.hasData()], [
    false,
    false,
  ]);
  const run = await start(server, 1, found(1));
  assert.deepEqual([server.isRunning(), await server.hasData()], [true, true]);
  assert.equal(await server.peerUrl(), "https://10.5.0.1:2380");
  assert.equal(server.endpoint(), "10.5.0.1:2379");
  const [{ id: _, ...member } = {}] = await server.client.members();
  assert.deepEqual(member, {
    name: "cp-1",
    peerUrls: ["https://10.5.0.1:2380"],
    clientUrls: ["https://10.5.0.1:2379"],
    isLearner: false,
  });
  await run.stop();
  assert.deepEqual(await run.ended, { status: 0, lastLog: "", isFinal: false });
  assert.deepEqual([server.isRunning(), await server.hasData()], [false, true]);
});

Deno.test("an address of version 6 is in brackets", async () => {
  const server = model().openServer({
    hostname: "cp-1",
    address: "fd00::2",
    machineType: "controlplane",
    uuid: "uuid-1",
  });
  assert.equal(await server.peerUrl(), "https://[fd00::2]:2380");
  assert.equal(server.endpoint(), "[fd00::2]:2379");
});

Deno.test("servers that begin together are one cluster, which serves with a majority", async () => {
  const backend = model();
  const [one, two] = [findServer(backend, 1), findServer(backend, 2)];
  await start(one, 1, found(1, 2));
  await assert.rejects(one.client.members(), {
    message: "etcdserver: no leader",
  });
  const before = backend.changes.count();
  const run = await start(two, 2, found(1, 2));
  assert.equal(backend.changes.count(), before + 1);
  assert.deepEqual(await one.client.members(), await two.client.members());
  assert.equal((await one.client.members()).length, 2);
  await run.kill();
  assert.equal(backend.changes.count(), before + 2);
  assert.equal((await one.client.status()).leader, 0n);
});

Deno.test("a server that was added takes its place, and one that was removed ends for good", async () => {
  const backend = model();
  const [one, two] = [findServer(backend, 1), findServer(backend, 2)];
  await start(one, 1, found(1));
  const id = await one.client.addLearner("https://10.5.0.2:2380");
  const run = await start(two, 2, found(1, 2));
  assert.equal(await two.client.memberId(), id);
  assert.equal((await two.client.status()).isLearner, true);
  await one.client.remove(id);
  const end = {
    status: 0,
    lastLog: "the member has been permanently removed from the cluster",
    isFinal: true,
  };
  assert.deepEqual(await run.ended, end);
  assert.equal(two.isRunning(), false);
  assert.deepEqual(await (await start(two, 2)).ended, end);
});

Deno.test("a server without data needs a cluster", async () => {
  const server = findServer(model(), 1);
  await start(server, 1, found(1)).then(({ stop }) => stop());
  await server.wipe();
  await assert.rejects(start(server, 1), {
    message: 'Server "https://10.5.0.1:2380" has no data and no cluster',
  });
});

Deno.test("a snapshot is restored once, as a cluster of one", async () => {
  const backend = model();
  const [one, two] = [findServer(backend, 1), findServer(backend, 2)];
  const absent = {
    name: "EtcdError",
    message:
      "error verifying snapshot: stat /var/lib/etcd.snapshot: no such file or directory",
  };
  const options = { skipHashCheck: false };
  await assert.rejects(two.restore("cp-2", options), absent);
  await start(one, 1, found(1));
  await two.upload(one.client.snapshot());
  await two.restore("cp-2", options);
  await assert.rejects(two.restore("cp-2", options), absent);
  await start(two, 2);
  const members = await two.client.members();
  assert.deepEqual(members.map(({ name }) => name), ["cp-2"]);
  const [first, second] = ["cp-1", "cp-2"].map((name) =>
    backend.data.get(name)?.cluster.database
  );
  assert.ok(first && second);
  assert.deepEqual(readKeys(second), readKeys(first));
});

Deno.test("a snapshot that is damaged is not restored", async () => {
  const server = findServer(model(), 1);
  await server.upload(parts([new Uint8Array(600)]));
  await assert.rejects(server.restore("cp-1", { skipHashCheck: false }), {
    name: "EtcdError",
    message: "error verifying snapshot: invalid database",
  });
  assert.equal(await server.hasData(), false);
});

Deno.test("EtcdModel: restored members exist and are stopped", async () => {
  let saved = "";
  let writing = 0;
  const backend = etcdModel({
    saved: undefined,
    version,
    async save(text) {
      assert.equal(writing++, 0, "two writes at the same time");
      await Promise.resolve();
      saved = text;
      writing--;
    },
  });
  const server = findServer(backend, 1);
  await start(server, 1, found(1));
  await Promise.all([
    server.client.raise("NOSPACE"),
    server.client.raise("CORRUPT"),
    server.client.defragment(),
  ]);
  const later = model(saved);
  const same = findServer(later, 1);
  assert.deepEqual([same.isRunning(), await same.hasData()], [false, true]);
  await start(same, 1);
  assert.deepEqual(await same.client.members(), await server.client.members());
  assert.deepEqual(
    (await same.client.alarms()).map(({ alarm }) => alarm),
    ["NOSPACE", "CORRUPT"],
  );
});

Deno.test("a model shows URLs as they are, and says nothing", () => {
  const { shownUrl, retryMs, isSilent } = model();
  const url = "https://10.5.0.1:2380";
  assert.equal(shownUrl(url), url);
  assert.deepEqual([retryMs, isSilent], [undefined, true]);
});
