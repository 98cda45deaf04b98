import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { run } from "../../_run.ts";

const memberStatus = {
  memberId: 1n,
  leader: 2n,
  dbSize: 20_000_000n,
  dbSizeInUse: 5_000_000n,
  raftIndex: 7n,
  raftTerm: 2n,
  raftAppliedIndex: 6n,
  protocolVersion: "3.6.11",
  storageVersion: "3.6",
  errors: ["etcdserver: no leader", "memberID:1 alarm:NOSPACE"],
};

function states(memberStatus: unknown) {
  return { etcdStatus: () => ({ messages: [{ memberStatus }] }) };
}

Deno.test("etcd status shows sizes and the share in use", async () => {
  const { out } = await run("etcd status", {
    a: states(memberStatus),
    b: states({ memberId: 2n, leader: 2n }),
  });
  assert.equal(
    out,
    `NODE   MEMBER             DB SIZE   IN USE            LEADER             RAFT INDEX   RAFT TERM   RAFT APPLIED INDEX   LEARNER   PROTOCOL   STORAGE   ERRORS
a      0000000000000001   20 MB     5.0 MB (25.00%)   0000000000000002   7            2           6                    false     3.6.11     3.6       etcdserver: no leader, memberID:1 alarm:NOSPACE
b      0000000000000002   0 B       0 B (0.00%)       0000000000000002   0            0           0                    false
`,
  );
});

Deno.test("etcd status -o jsonl carries bytes and lists", async () => {
  const { out } = await run("etcd status -o jsonl", {
    a: states(memberStatus),
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    member: "0000000000000001",
    dbSize: 20_000_000,
    dbSizeInUse: 5_000_000,
    leader: "0000000000000002",
    raftIndex: 7,
    raftTerm: 2,
    raftAppliedIndex: 6,
    learner: false,
    protocol: "3.6.11",
    storage: "3.6",
    errors: ["etcdserver: no leader", "memberID:1 alarm:NOSPACE"],
  });
});

Deno.test("etcd status still shows other nodes when one fails", async () => {
  const gone = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  const { out, status } = await run("etcd status -o jsonl", {
    a: states(memberStatus),
    b: { etcdStatus: gone },
    c: states(memberStatus),
  });
  assert.equal(out.trimEnd().split("\n").length, 3);
  assert.equal(status, 3);
});

Deno.test("etcd status takes no arguments", async () => {
  const { status } = await run("etcd status x");
  assert.equal(status, 2);
});
