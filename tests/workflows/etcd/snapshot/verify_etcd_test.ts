import assert from "node:assert/strict";
import {
  type SnapshotStatus,
  verifySnapshot,
} from "../../../../workflows/etcd/snapshot/verify.ts";
import { needs } from "../../../_needs.ts";
import { type RunningEtcd, toolStatus, withEtcd } from "./_etcd.ts";

async function verify(path: string): Promise<SnapshotStatus> {
  return await verifySnapshot(path, new AbortController().signal);
}

/** Reads a file, and compares the figures with those of etcd's own tool. */
async function compare(path: string): Promise<SnapshotStatus> {
  const [ours, tool] = [await verify(path), await toolStatus(path)];
  const { hash, revision, totalEntries, totalKeys, totalSize } = ours;
  assert.deepEqual({
    hash: parseInt(hash, 16),
    revision,
    totalKey: tool.version === undefined ? totalEntries : totalKeys,
    totalSize,
  }, {
    hash: tool.hash,
    revision: tool.revision,
    totalKey: tool.totalKey,
    totalSize: tool.totalSize,
  });
  if (tool.version !== undefined) {
    assert.equal(ours.storageVersion ?? "", tool.version);
  }
  return ours;
}

/** Takes a snapshot of a member and compares it; also the keys that exist. */
async function take(etcd: RunningEtcd): Promise<SnapshotStatus> {
  const all = { key: "AA==", rangeEnd: "AA==", countOnly: true };
  const { count = "0" } = await etcd.call("kv/range", all) as {
    count?: string;
  };
  const status = await compare(await etcd.snapshot("snapshot.db"));
  assert.equal(status.trailer, "valid");
  assert.equal(status.totalKeys, Number(count));
  return status;
}

/** Keys with values, by number. */
function values(count: number, value: (i: number) => string) {
  return new Map(
    Array.from({ length: count }, (_, i) => [`/registry/pods/p${i}`, value(i)]),
  );
}

async function readRevision(etcd: RunningEtcd): Promise<string> {
  const answer = await etcd.call("kv/range", { key: btoa("x") }) as {
    header: { revision: string };
  };
  return answer.header.revision;
}

Deno.test({
  name: "verifySnapshot says of real snapshots what etcd says of them",
  ...needs("etcd", "etcdctl"),
  async fn() {
    await withEtcd(async (etcd) => {
      const empty = await take(etcd);
      assert.deepEqual([empty.revision, empty.totalKeys], [0, 0]);

      await etcd.put(new Map([["a", "1"]]));
      assert.deepEqual((await take(etcd)).totalKeys, 1);

      // Branch pages, then pages that leave room, then pages of several.
      await etcd.put(values(3_000, (i) => `value ${i}`.repeat(i % 20)));
      await etcd.put(values(1_500, (i) => `other ${i}`.repeat(i % 30)));
      await etcd.put(new Map([["large", "x".repeat(1_000_000)]]));
      await etcd.put(new Map([["larger", "y".repeat(70_000)]]));
      assert.equal((await take(etcd)).totalKeys, 3_003);

      const range = {
        key: btoa("/registry/pods/p1"),
        rangeEnd: btoa("/registry/pods/p2"),
      };
      await etcd.call("kv/deleterange", range);
      await etcd.call("lease/grant", { TTL: "600", ID: "77" });
      await etcd.call("kv/put", {
        key: btoa("leased"),
        value: "",
        lease: "77",
      });
      await etcd.call("auth/user/add", { name: "some", password: "one" });
      const { totalKeys, compactRevision } = await take(etcd);
      assert.deepEqual([totalKeys, compactRevision], [1_893, null]);

      const revision = await readRevision(etcd);
      await etcd.call("kv/compaction", { revision, physical: true });
      const compacted = await take(etcd);
      assert.equal(String(compacted.compactRevision), revision);
      assert.equal(compacted.totalKeys, 1_893);

      await etcd.call("maintenance/defragment", {});
      const smaller = await take(etcd);
      assert.ok(smaller.totalSize < compacted.totalSize);
    });
  },
});

Deno.test({
  name: "verifySnapshot reads the members of a real snapshot",
  ...needs("etcd", "etcdctl"),
  async fn() {
    await withEtcd(async (etcd) => {
      const peerURLs = ["http://127.0.0.1:1"];
      const { member } = await etcd.call("cluster/member/add", {
        peerURLs,
        isLearner: true,
      }) as { member: { ID: string } };
      const { members } = await etcd.call("cluster/member/list", {}) as {
        members: {
          ID: string;
          name?: string;
          peerURLs: string[];
          clientURLs?: string[];
        }[];
      };
      const path = await etcd.snapshot("snapshot.db");
      const { members: read, clusterVersion } = await verify(path);
      const id = (text: string) => BigInt(text).toString(16).padStart(16, "0");
      const byId = (a: { id: string }, b: { id: string }) =>
        a.id < b.id ? -1 : 1;
      assert.deepEqual(
        read.toSorted(byId),
        members.map((one) => ({
          id: id(one.ID),
          name: one.name ?? "",
          peerUrls: one.peerURLs,
          clientUrls: one.clientURLs ?? [],
          learner: one.ID === member.ID,
        })).sort(byId),
      );
      assert.match(clusterVersion ?? "", /^3\.\d+\.0$/);

      await etcd.call("cluster/member/remove", { ID: member.ID });
      const { removed } = await verify(await etcd.snapshot("after.db"));
      assert.deepEqual(removed, [id(member.ID)]);
    });
  },
});

Deno.test({
  name: "verifySnapshot reads the database of a member that was stopped",
  ...needs("etcd", "etcdctl"),
  async fn() {
    await withEtcd(async (etcd) => {
      await etcd.put(values(2_000, (i) => "v".repeat(i)));
      await etcd.put(values(300, () => "w"));
      await etcd.stop();
      const { trailer, totalKeys } = await compare(etcd.database);
      assert.deepEqual([trailer, totalKeys], ["absent", 2_000]);
    });
  },
});

Deno.test({
  name: "verifySnapshot refuses real snapshots that were damaged",
  ...needs("etcd", "etcdctl"),
  async fn() {
    await withEtcd(async (etcd) => {
      await etcd.put(values(1_500, (i) => `value ${i}`.repeat(9)));
      const path = await etcd.snapshot("snapshot.db");
      const whole = await Deno.readFile(path);
      const page = 4096;
      const refused = async (content: Uint8Array, message: RegExp) => {
        await Deno.writeFile(path, content);
        await assert.rejects(verify(path), { name: "OsctlError", message });
      };
      const flipped = (at: number) => whole.with(at, (whole[at] ?? 0) ^ 0x04);

      await refused(
        whole.subarray(0, whole.length - 32 - page),
        /truncated: page 0 says/,
      );
      await refused(whole.subarray(0, whole.length / 2), /truncated/);
      await refused(whole.subarray(0, whole.length - 1), /31 of 32 bytes/);
      await refused(flipped(16), /trailer has .*; page 0: its magic number is/);
      await refused(
        flipped(page + 60),
        /trailer has .*; page 1: its checksum/,
      );
      await refused(
        flipped(whole.length - 1),
        /its SHA-256 is .*, its trailer has/,
      );
      for (let at = 2 * page; at < whole.length; at += 5 * page + 777) {
        await refused(flipped(at), /is damaged: (page \d+|its SHA-256)/);
      }
    });
  },
});
