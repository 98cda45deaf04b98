import assert from "node:assert/strict";
import { writeBolt } from "../../../simulator/etcd/write_bolt.ts";
import {
  type DatabaseMeta,
  type EtcdDatabase,
  newDatabase,
  putKey,
  readSnapshot,
  writeSnapshot,
} from "../../../simulator/etcd/database.ts";

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

async function takeSnapshot(
  database: EtcdDatabase,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await writeSnapshot(database, place));
}

Deno.test("a snapshot gives back what was written", async () => {
  const database = newDatabase("lab");
  const snapshot = await takeSnapshot(database);
  assert.deepEqual(await readSnapshot(snapshot, false), database);
  assert.deepEqual(await readSnapshot(await takeSnapshot(empty), false), empty);
});

Deno.test("a snapshot with a wrong sum, or none, is read only when that does not matter", async () => {
  const database = putKey(empty, "a", "1");
  const snapshot = await takeSnapshot(database);
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
