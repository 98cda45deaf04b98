import assert from "node:assert/strict";
import { putKey } from "../../../simulator/etcd/database.ts";
import {
  addLearner,
  elect,
  type EtcdModelCluster,
  listMembers,
  measureSize,
  moveLeader,
  newCluster,
  promote,
  remove,
  storageVersion,
  writeFile,
} from "../../../simulator/etcd/model_cluster.ts";

const empty = { revision: 1n, history: [] };

/** Members with the identities 1 and up, of which some run. */
function cluster(count: number, running: readonly bigint[]): EtcdModelCluster {
  const members = Array.from({ length: count }, (_, index) => ({
    id: BigInt(index + 1),
    name: `cp-${index + 1}`,
    peerUrl: `https://10.0.0.${index + 1}:2380`,
  }));
  const made = newCluster(members, { database: empty, version: "3.6.11" });
  running.forEach((id) => made.running.add(id));
  elect(made);
  return made;
}

function refuses(act: () => void, message: string): void {
  assert.throws(act, { name: "EtcdError", message });
}

Deno.test("a new cluster has entered its members, and has no leader", () => {
  const made = cluster(3, []);
  const { index, term, leader, alarms, downgrade } = made;
  assert.deepEqual(
    { index, term, leader, alarms, downgrade },
    { index: 6n, term: 1n, leader: 0n, alarms: [], downgrade: "" },
  );
  assert.equal(storageVersion(made), "3.6.0");
  assert.deepEqual(listMembers(made)[0], {
    id: 1n,
    name: "cp-1",
    peerUrls: ["https://10.0.0.1:2380"],
    clientUrls: [],
    isLearner: false,
  });
});

Deno.test("a member without a vote counts for no majority", () => {
  const made = cluster(1, [1n]);
  addLearner(made, 2n, "https://10.0.0.2:2380");
  assert.deepEqual(listMembers(made)[1], {
    id: 2n,
    name: "",
    peerUrls: ["https://10.0.0.2:2380"],
    clientUrls: [],
    isLearner: true,
  });
  assert.equal(elect(made), false);
  assert.equal(made.leader, 1n);
});

Deno.test("a member is refused when its URL is known, when one learns, or when too few run", () => {
  const made = cluster(1, [1n]);
  const url = "https://10.0.0.1:2380";
  refuses(
    () => addLearner(made, 2n, url),
    "etcdserver: Peer URLs already exists",
  );
  addLearner(made, 2n, "https://10.0.0.2:2380");
  refuses(
    () => addLearner(made, 3n, "https://10.0.0.3:2380"),
    "etcdserver: too many learner members in cluster",
  );
  refuses(
    () => addLearner(cluster(3, [1n, 2n]), 4n, "https://10.0.0.4:2380"),
    "etcdserver: unhealthy cluster",
  );
});

Deno.test("a vote is given to a learner that runs", () => {
  const made = cluster(1, [1n]);
  addLearner(made, 2n, "https://10.0.0.2:2380");
  refuses(
    () => promote(made, 2n),
    "etcdserver: can only promote a learner member which is in sync with leader",
  );
  made.running.add(2n);
  promote(made, 2n);
  assert.equal(made.members[1]?.isLearner, false);
  refuses(
    () => promote(made, 2n),
    "etcdserver: can only promote a learner member",
  );
  refuses(() => promote(made, 9n), "etcdserver: member not found");
});

Deno.test("a removed member takes its alarms along", () => {
  const made = cluster(3, [1n, 2n, 3n]);
  made.alarms = [
    { memberId: 1n, alarm: "NOSPACE" },
    { memberId: 2n, alarm: "CORRUPT" },
  ];
  remove(made, 2n, 1n);
  assert.deepEqual(listMembers(made).map(({ id }) => id), [1n, 3n]);
  assert.deepEqual(made.alarms, [{ memberId: 1n, alarm: "NOSPACE" }]);
  assert.deepEqual([...made.running], [1n, 3n]);
  refuses(() => remove(made, 2n, 1n), "etcdserver: member not found");
});

Deno.test("a removal leaves a majority that runs", () => {
  refuses(
    () => remove(cluster(1, [1n]), 1n, 1n),
    "etcdserver: re-configuration failed due to not enough started members",
  );
  refuses(
    () => remove(cluster(3, [1n, 2n]), 2n, 1n),
    "etcdserver: unhealthy cluster",
  );
  const made = cluster(3, [1n, 2n]);
  remove(made, 3n, 1n);
  assert.deepEqual(listMembers(made).map(({ id }) => id), [1n, 2n]);
});

Deno.test("only the leader gives the leadership away, to a voter that runs", () => {
  const made = cluster(3, [1n, 2n]);
  refuses(() => moveLeader(made, 1n, 2n), "etcdserver: not leader");
  refuses(() => moveLeader(made, 9n, 1n), "etcdserver: bad leader transferee");
  refuses(() => moveLeader(made, 3n, 1n), "etcdserver: request timed out");
  moveLeader(made, 2n, 1n);
  assert.deepEqual([made.leader, made.term], [2n, 3n]);
});

Deno.test("a member's file is made of whole pages", () => {
  assert.equal(writeFile(cluster(1, [1n])).length % 4096, 0);
});

Deno.test("measureSize is the length of the file, whatever has changed meanwhile", () => {
  const made = cluster(3, [1n, 2n, 3n]);
  const sizes = [() => {}, () => {
    // Longer than a page.
    const value = "a".repeat(10_000);
    made.database = putKey(made.database, "/registry/a", value);
  }, () => {
    made.members[0]!.name = "b".repeat(10_000);
  }].map((change) => {
    change();
    const size = measureSize(made);
    assert.equal(size, writeFile(made).length);
    assert.equal(measureSize(made), size);
    return size;
  });
  assert.equal(new Set(sizes).size, 3);
});
