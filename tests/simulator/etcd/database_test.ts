import assert from "node:assert/strict";
import { readBolt } from "../../../simulator/etcd/bolt/read.ts";
import { writeBolt } from "../../../simulator/etcd/bolt/write.ts";
import {
  databaseFile,
  type DatabaseMeta,
  type EtcdDatabase,
  memberIdText,
  newDatabase,
  putKey,
  readSnapshot,
  writeSnapshot,
} from "../../../simulator/etcd/database.ts";
import { verifySnapshot } from "../../../workflows/etcd/snapshot/verify.ts";
import { withFile } from "../../workflows/etcd/snapshot/_bolt.ts";
import { keysOf } from "./_keys.ts";

const place: DatabaseMeta = {
  members: [{
    id: 0xfedcba9876543210n,
    name: "cp-1",
    peerUrls: ["https://10.5.0.2:2380"],
    clientUrls: ["https://10.5.0.2:2379"],
    isLearner: false,
  }, {
    id: 7n,
    name: "",
    peerUrls: ["https://10.5.0.3:2380"],
    clientUrls: [],
    isLearner: true,
  }],
  version: "3.6.0",
  index: 258n,
  term: 3n,
};

const empty: EtcdDatabase = { revision: 1n, history: [] };

async function snapshotOf(
  database: EtcdDatabase,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await writeSnapshot(database, place));
}

Deno.test("a fresh database holds keys of Kubernetes that say whose it is", () => {
  const database = newDatabase("lab");
  const keys = keysOf(database);
  assert.equal(database.revision, 18n);
  assert.equal(keys.size, 17);
  assert.equal(
    keys.get("/registry/namespaces/kube-system"),
    '{"key":"namespaces/kube-system","cluster":"lab"}',
  );
});

Deno.test("a key has its last value, and none once it is deleted", () => {
  const once = putKey(putKey(empty, "a", "1"), "b", "2");
  const twice = putKey(once, "a", "3");
  assert.equal(twice.revision, 4n);
  assert.deepEqual([...keysOf(once)], [["a", "1"], ["b", "2"]]);
  assert.deepEqual([...keysOf(twice)], [["a", "3"], ["b", "2"]]);
  const [, [written, record] = []] = twice.history;
  assert.ok(written && record);
  const deletion = new Uint8Array([...written, 0x74]);
  const deleted = { ...twice, history: [...twice.history, [deletion, record]] };
  assert.deepEqual([...keysOf(deleted as EtcdDatabase)], [["a", "3"]]);
});

Deno.test("a file says what its cluster is", () => {
  const buckets = readBolt(databaseFile(empty, place));
  const text = (name: string) =>
    (buckets.get(name) ?? []).map((pair) =>
      pair.map((part) => new TextDecoder().decode(part))
    );
  assert.deepEqual([...buckets.keys()], [
    "alarm",
    "auth",
    "authRoles",
    "authUsers",
    "cluster",
    "key",
    "lease",
    "members",
    "members_removed",
    "meta",
  ]);
  assert.deepEqual(text("cluster"), [["clusterVersion", "3.6.0"]]);
  assert.deepEqual(text("members"), [
    [
      "0000000000000007",
      '{"id":7,"peerURLs":["https://10.5.0.3:2380"],"isLearner":true,"name":"","clientURLs":[]}',
    ],
    [
      "fedcba9876543210",
      '{"id":18364758544493064720,"peerURLs":["https://10.5.0.2:2380"],"name":"cp-1","clientURLs":["https://10.5.0.2:2379"]}',
    ],
  ]);
  assert.deepEqual(text("meta"), [
    ["consistent_index", "\0\0\0\0\0\0\x01\x02"],
    ["storageVersion", "3.6.0"],
    ["term", "\0\0\0\0\0\0\0\x03"],
  ]);
});

Deno.test("a snapshot verifies as a whole", async () => {
  const snapshot = await snapshotOf(newDatabase("lab"));
  const { signal } = new AbortController();
  const status = await withFile(
    snapshot,
    (path) => verifySnapshot(path, signal),
  );
  const { trailer, revision, totalKeys, totalEntries } = status;
  assert.deepEqual(
    { trailer, revision, totalKeys, totalEntries },
    // 17 keys, 2 members, 3 facts about changes, 1 about access, 1 version.
    { trailer: "valid", revision: 18, totalKeys: 17, totalEntries: 24 },
  );
});

Deno.test("a snapshot gives back what was written", async () => {
  const database = newDatabase("lab");
  const snapshot = await snapshotOf(database);
  assert.deepEqual(await readSnapshot(snapshot, false), database);
  assert.deepEqual(await readSnapshot(await snapshotOf(empty), false), empty);
});

Deno.test("a snapshot with a wrong sum, or none, is read only when that does not matter", async () => {
  const database = putKey(empty, "a", "1");
  const snapshot = await snapshotOf(database);
  const bare = snapshot.slice(0, -32);
  await assert.rejects(readSnapshot(bare, false), {
    name: "EtcdError",
    message:
      "error recovering from the snapshot: snapshot missing hash but --skip-hash-check=false",
  });
  assert.deepEqual(await readSnapshot(bare, true), database);
  const sum = snapshot.slice(-32);
  snapshot.fill(0, -32);
  await assert.rejects(readSnapshot(snapshot, false), {
    name: "EtcdError",
    message: `error recovering from the snapshot: expected sha256 [${
      Array(32).fill("0").join(" ")
    }], got [${sum.join(" ")}]`,
  });
  assert.deepEqual(await readSnapshot(snapshot, true), database);
});

Deno.test("a database without keys is no snapshot", async () => {
  await assert.rejects(readSnapshot(writeBolt(new Map()), true), {
    name: "EtcdError",
    message: "error verifying snapshot: snapshot has no keys",
  });
});

Deno.test("an identity is spelled with 16 hexadecimal digits", () => {
  assert.equal(memberIdText(0x12abn), "00000000000012ab");
});
