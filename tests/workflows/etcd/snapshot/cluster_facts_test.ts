import assert from "node:assert/strict";
import {
  clusterFacts,
  type KeyEntry,
} from "../../../../workflows/etcd/snapshot/cluster_facts.ts";
import { bytes, withSnapshot } from "./_bolt.ts";
import { bigEndian, revision } from "./_snapshot.ts";

/** Reads facts from bucket, key, value. */
async function facts(
  ...all: readonly (readonly [bucket: string, key: string, value: string])[]
) {
  const entries = new Map<string, KeyEntry[]>();
  for (const [index, [bucket, key, value]] of all.entries()) {
    const where = `page 2: element ${index}`;
    const entry = { where, key, value: bytes(value) };
    entries.set(bucket, [...entries.get(bucket) ?? [], entry]);
  }
  return await withSnapshot(
    new Uint8Array(),
    (snapshot) => clusterFacts(snapshot, entries),
  );
}

Deno.test("clusterFacts reads members", async () => {
  const { members, removed } = await facts(
    [
      "members",
      "8e9e05c52164694d",
      '{"id":10276657743932975437,"peerURLs":["http://a:2380"],"name":"one","clientURLs":["http://a:2379","http://b"]}',
    ],
    ["members", "1f", '{"id":31,"peerURLs":null,"isLearner":true}'],
    ["members_removed", "abc", "removed"],
  );
  assert.deepEqual(members, [
    {
      id: "8e9e05c52164694d",
      name: "one",
      peerUrls: ["http://a:2380"],
      clientUrls: ["http://a:2379", "http://b"],
      learner: false,
    },
    {
      id: "000000000000001f",
      name: "",
      peerUrls: [],
      clientUrls: [],
      learner: true,
    },
  ]);
  assert.deepEqual(removed, ["0000000000000abc"]);
});

Deno.test("clusterFacts reads versions, index, term and compaction", async () => {
  assert.deepEqual(
    await facts(
      ["cluster", "clusterVersion", "3.6.0"],
      ["meta", "consistent_index", bigEndian(0x0102030405)],
      ["meta", "finishedCompactRev", revision(77)],
      ["meta", "storageVersion", "3.7.0-alpha.1"],
      ["meta", "term", bigEndian(9)],
      ["meta", "confState", "{}"],
    ),
    {
      members: [],
      removed: [],
      clusterVersion: "3.6.0",
      storageVersion: "3.7.0-alpha.1",
      consistentIndex: 0x0102030405,
      term: 9,
      compactRevision: 77,
    },
  );
});

Deno.test("clusterFacts says null for what is not there", async () => {
  const nothing = {
    members: [],
    removed: [],
    clusterVersion: null,
    storageVersion: null,
    consistentIndex: null,
    term: null,
    compactRevision: null,
  };
  assert.deepEqual(await facts(), nothing);
  // An empty version is none yet.
  assert.deepEqual(await facts(["meta", "storageVersion", ""]), nothing);
});

Deno.test("clusterFacts refuses what it cannot understand", async () => {
  const wrong = [
    ["members", "xyz", "{}"],
    ["members", "0123456789abcdef0", "{}"],
    ["members", "1", "{"],
    ["members", "1", "null"],
    ["members", "1", "[]x"],
    ["members", "1", '{"name":1}'],
    ["members", "1", '{"peerURLs":"http://a"}'],
    ["members", "1", '{"clientURLs":[1]}'],
    ["members_removed", "-1", "removed"],
    ["cluster", "clusterVersion", "3.6"],
    ["cluster", "clusterVersion", "3.6.0\x1b[1m"],
    ["meta", "storageVersion", "x"],
    ["meta", "consistent_index", "1234567"],
    ["meta", "term", "123456789"],
    ["meta", "finishedCompactRev", "1"],
  ] as const;
  for (const one of wrong) {
    await assert.rejects(facts(one), {
      name: "OsctlError",
      message: `Snapshot "db" is damaged: page 2: element 0: the value of "${
        one[1]
      }" cannot be decoded`,
    }, one.join(" "));
  }
});
