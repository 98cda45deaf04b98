import assert from "node:assert/strict";
import { sha256Hex } from "../../../../lib/sha256.ts";
import type { SeenQuorum } from "../../../../workflows/rehearsal/invariants/evidence.ts";
import {
  copiedFirst,
  oneAtATime,
  oneCluster,
  quorumKept,
} from "../../../../workflows/rehearsal/invariants/etcd.ts";
import {
  cluster,
  evidence,
  overriding,
  records,
  startedAt,
} from "../_evidence.ts";

const minute = 60_000;
const later = new Date(startedAt + minute).toISOString();

/** A cluster in which control planes are down after a minute. */
function down(names: readonly string[], more: Partial<SeenQuorum> = {}) {
  const [well] = cluster().quorum;
  const hasQuorum = names.length < 2;
  const one = { at: startedAt + minute, hasQuorum, clusters: 1, down: names };
  return cluster({ quorum: [well!, { ...one, ...more }] });
}

Deno.test("a majority that is lost by the run is reported with its time and its nodes", () => {
  assert.equal(quorumKept(evidence()).state, "held");
  assert.equal(quorumKept(evidence({ after: down(["cp-1"]) })).state, "held");
  assert.deepEqual(quorumKept(evidence({ after: down(["cp-1", "cp-2"]) })), {
    state: "violated",
    evidence: [`${later}: no quorum without cp-1, cp-2`],
  });
});

Deno.test("a majority that faults take is not lost by the run, but one more node is", () => {
  const at = new Date(startedAt).toISOString();
  const both = ["cp-1", "cp-2"].map((name) => ({
    fault: `etcd/${name}: unhealthy`,
    at,
  }));
  const after = down(["cp-1", "cp-2"]);
  assert.equal(quorumKept(evidence({ after, injected: both })).state, "held");
  const one = evidence({ after, injected: both.slice(0, 1) });
  assert.match(quorumKept(one).evidence[0]!, /no quorum without cp-2$/);
  // It never came to these.
  const none = both.map(({ fault }) => ({ fault }));
  const missed = evidence({ after, injected: none });
  assert.equal(quorumKept(missed).state, "violated");
});

Deno.test("two control planes that are down by the run are reported", () => {
  assert.equal(oneAtATime(evidence({ after: down(["cp-1"]) })).state, "held");
  const after = down(["cp-1", "cp-3"], { hasQuorum: true });
  assert.deepEqual(oneAtATime(evidence({ after })).evidence, [
    `${later}: cp-1 and cp-3 are down`,
  ]);
  // One that has come since is none of those it began with.
  const joined = down(["cp-1", "cp-9"]);
  assert.equal(oneAtATime(evidence({ after: joined })).state, "held");
  const runbook = overriding("etcd-quorum");
  assert.equal(oneAtATime(evidence({ after, runbook })).state, "unchecked");
});

Deno.test("a second cluster that decides is reported", () => {
  assert.equal(oneCluster(evidence()).state, "held");
  const after = down([], { clusters: 2 });
  assert.deepEqual(oneCluster(evidence({ after })).evidence, [
    `${later}: 2 etcd clusters have a quorum`,
  ]);
});

Deno.test("etcd invariant: a wiped member has a verified copy on disk before", async () => {
  assert.equal((await copiedFirst(evidence())).state, "unchecked");
  const file = { path: "/a/copy.db", bytes: new TextEncoder().encode("etcd") };
  const hash = await sha256Hex("etcd");
  const copy = (sha256: string) => ({
    type: "result" as const,
    path: "source",
    data: {
      state: "ok",
      module: "etcd.chooseSource",
      outputs: { file: "/a/copy.db", sha256 },
    },
  });
  const wipe = {
    type: "intent" as const,
    path: "wipe",
    node: "cp-1",
    data: { operation: "node.resetEphemeral" },
  };
  const look = (all: ReturnType<typeof records>, files = [file]) =>
    copiedFirst(evidence({ records: all, files }));
  assert.equal((await look(records(copy(hash), wipe))).state, "held");
  const wrong = [
    await look(records(wipe, copy(hash))),
    await look(records(copy("00"), wipe)),
    await look(records(copy(hash), wipe), []),
  ].map(({ evidence }) => evidence[0]);
  assert.deepEqual(wrong, [
    "record 1 wipes cp-1without an earlier copy of etcd",
    "record 2 wipes cp-1without an earlier copy of etcd",
    "record 2 wipes cp-1without an earlier copy of etcd",
  ]);
  const worker = records({ ...wipe, node: "w-1" });
  assert.equal((await look(worker)).state, "unchecked");
});

Deno.test("data that is lost without being wiped is reported", async () => {
  const after = cluster({ dataLost: 1 });
  assert.deepEqual((await copiedFirst(evidence({ after }))).evidence, [
    "the last copy of the etcd data was lost",
  ]);
});
