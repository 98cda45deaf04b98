import assert from "node:assert/strict";
import {
  type Allowance,
  countQuorum,
  type EtcdFacts,
  mayBeRemoved,
  mayLeave,
} from "../../../workflows/etcd/quorum.ts";

/** A cluster of voters `a`, `b` …, all well by default. */
function facts(voters: number, changes: Partial<EtcdFacts> = {}): EtcdFacts {
  const ids = [..."abcdefg"].slice(0, voters);
  return {
    members: ids.map((id) => ({ id, name: `node-${id}`, learner: false })),
    healthy: ids,
    alarms: [],
    leader: "a",
    silent: [],
    doubts: [],
    readAt: 0,
    ...changes,
  };
}

function refusal(
  state: EtcdFacts,
  member = "a",
  ...allowed: readonly Allowance[]
) {
  const found = mayLeave(state, member, new Set(allowed));
  return found === undefined
    ? undefined
    : `${found.rule} ${found.allowance}: ${found.reason}`;
}

Deno.test("countQuorum is more than half", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 7].map(countQuorum), [1, 2, 2, 3, 3, 4]);
});

Deno.test("one of three or five well members may leave", () => {
  assert.equal(refusal(facts(3)), undefined);
  assert.equal(refusal(facts(5)), undefined);
});

Deno.test("a single member is refused unless its downtime is allowed", () => {
  assert.equal(
    refusal(facts(1)),
    "S3 single-member-downtime: etcd has only one member: while it is down, so is the Kubernetes API",
  );
  assert.equal(refusal(facts(1), "a", "single-member-downtime"), undefined);
  assert.equal(refusal(facts(1), "a", "etcd-quorum"), undefined);
});

Deno.test("one of two is refused, whatever but the quorum is allowed", () => {
  const text =
    "S4 etcd-quorum: etcd has two members and loses its quorum if either is down (2 voters, 2 healthy, quorum 2; without this one 1)";
  assert.equal(refusal(facts(2)), text);
  assert.equal(
    refusal(facts(2), "a", "single-member-downtime", "degraded-etcd"),
    text,
  );
  assert.equal(refusal(facts(2), "a", "etcd-quorum"), undefined);
});

Deno.test("the last that the quorum needs is refused", () => {
  const state = facts(3, { healthy: ["a", "b"] });
  assert.equal(
    refusal(state),
    "S1 etcd-quorum: etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1",
  );
  assert.equal(refusal(state, "a", "degraded-etcd")?.slice(0, 2), "S1");
});

Deno.test("a member whose node is about to stop is none that stays", () => {
  const leaving = [{ id: "b", node: "10.0.0.2", stage: "rebooting" }];
  const none = new Set<Allowance>();
  const three = mayLeave(facts(3, { leaving }), "a", none);
  assert.deepEqual(three, {
    rule: "S1",
    reason:
      "etcd would lose its quorum: 3 voters, 3 healthy, quorum 2; without this one 1; 10.0.0.2 is rebooting",
    allowance: "etcd-quorum",
    passing: true,
  });
  assert.equal(
    mayBeRemoved(facts(3, { leaving }), "a", none)?.reason,
    "the 2 remaining members would have no quorum: 3 voters, 3 healthy, quorum 2; without this one 1; 10.0.0.2 is rebooting",
  );
  assert.equal(
    refusal(facts(5, { leaving })),
    "S1 degraded-etcd: 10.0.0.2 is rebooting (5 voters, 5 healthy, quorum 3; without this one 3)",
  );
  // Its own stage is for the operation to judge.
  assert.equal(refusal(facts(3, { leaving }), "b"), undefined);
  const over = { silent: ["x"], stopped: ["x"], over: ["x"] };
  const passing = { ...over, healthy: ["a", "b"], leaving };
  assert.equal(mayLeave(facts(3, passing), "a", none)?.passing, true);
});

Deno.test("the one that is ill already may leave", () => {
  assert.equal(refusal(facts(3, { healthy: ["a", "b"] }), "c"), undefined);
});

Deno.test("the one that does not answer may leave or be removed, when all others are well", () => {
  const state = facts(3, { healthy: ["a", "b"], silent: ["node-c"] });
  assert.equal(refusal(state, "c"), undefined);
  // Its member is unknown in that case.
  assert.equal(refusal(state, ""), undefined);
  assert.equal(mayBeRemoved(state, "c", new Set()), undefined);
  assert.match(
    mayBeRemoved({ ...state, silent: ["node-c", "x"] }, "c", new Set())
      ?.reason ?? "",
    /^etcd of node-c does not answer; etcd of x does not answer \(/,
  );
  const ill = facts(5, { healthy: ["a", "b", "c"], silent: ["node-e"] });
  assert.match(refusal(ill, "e") ?? "", /: etcd of node-e does not answer \(/);
});

Deno.test("an alarm is named with its cure, and waiting does not help", () => {
  const cure =
    "etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm";
  // Members with damaged data do not count as healthy.
  for (const healthy of [[], ["a", "b", "c"]]) {
    const state = facts(3, { alarms: ["NOSPACE"], healthy });
    for (const rule of [mayLeave, mayBeRemoved]) {
      const found = rule(state, "a", new Set());
      assert.equal(found?.reason.slice(0, cure.length), cure);
      assert.equal(found?.passing, false);
    }
  }
  const corrupt = facts(3, { alarms: ["CORRUPT"] });
  assert.match(
    mayLeave(corrupt, "a", new Set())?.reason ?? "",
    /^etcd has the alarm CORRUPT; replace the member whose data is damaged: osctl etcd alarm list \(/,
  );
});

Deno.test("anything doubtful is refused unless a degraded etcd is allowed", () => {
  const doubtful: readonly [Partial<EtcdFacts>, string][] = [
    [
      { alarms: ["NOSPACE"] },
      "etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm",
    ],
    [{ silent: ["x"] }, "etcd of x does not answer"],
    [
      {
        members: [...facts(3).members, { id: "d", name: "new", learner: true }],
      },
      "member new is still a learner",
    ],
    [{ healthy: ["a", "b", "c", "d"] }, "not all etcd members are healthy"],
  ];
  for (const [changes, reason] of doubtful) {
    const state = facts(5, changes);
    const learner = changes.members !== undefined;
    const whole = learner ? facts(3, changes) : state;
    assert.match(refusal(whole) ?? "", new RegExp(`: ${reason} \\(`));
    assert.equal(refusal(whole, "a", "degraded-etcd"), undefined);
  }
});

Deno.test("a member that never started counts as a voter and as a doubt", () => {
  const state = facts(5, {
    members: facts(5).members.map((member) =>
      member.id === "e" ? { ...member, name: "" } : member
    ),
    healthy: ["a", "b", "c", "d"],
  });
  assert.match(refusal(state) ?? "", /member e never started/);
});

Deno.test("without any answer nothing may leave", () => {
  const state = facts(0, { silent: ["x"] });
  assert.equal(
    refusal(state, ""),
    "S1 etcd-quorum: no control plane reports its etcd state; etcd of x does not answer",
  );
});

Deno.test("a member may be removed when the others are a quorum of what is left", () => {
  const removal = (
    state: EtcdFacts,
    member = "a",
    ...allowed: readonly Allowance[]
  ) => {
    const found = mayBeRemoved(state, member, new Set(allowed));
    return found && `${found.rule} ${found.allowance}: ${found.reason}`;
  };
  assert.equal(removal(facts(2)), undefined);
  assert.equal(removal(facts(3)), undefined);
  assert.equal(
    removal(facts(1)),
    "S3 etcd-quorum: it is the only etcd member and has the only copy of the cluster's data",
  );
  assert.equal(removal(facts(1), "a", "etcd-quorum"), undefined);
  const short =
    "S1 etcd-quorum: the 2 remaining members would have no quorum: 3 voters, 2 healthy, quorum 2; without this one 1";
  assert.equal(removal(facts(3, { healthy: ["a", "b"] })), short);
  assert.equal(removal(facts(3, { healthy: ["a", "b"] }), "c"), undefined);
  // Those that stay would be a quorum, but today's members cannot agree to it.
  assert.equal(
    removal(facts(4, { healthy: ["c", "d"] })),
    "S1 etcd-quorum: the 3 remaining members would have no quorum: 4 voters, 2 healthy, quorum 3; without this one 2",
  );
  // No member is left that could agree.
  assert.match(
    removal(facts(3, { healthy: ["b"] })) ?? "",
    /2 remaining members would have no quorum/,
  );
  assert.match(
    removal(facts(3, { alarms: ["NOSPACE"] })) ?? "",
    /^S1 degraded-etcd: etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm \(/,
  );
  assert.match(
    removal(facts(0, { silent: ["x"] })) ?? "",
    /^S1 etcd-quorum: no control plane reports/,
  );
});

Deno.test("waiting helps unless every member that is not healthy has stopped for good", () => {
  const none = new Set<Allowance>();
  const lost = { healthy: ["b", "c"], silent: ["x"], stopped: ["x"] };
  const stopped = facts(3, { ...lost, over: ["x"] });
  const found = mayLeave(stopped, "b", none);
  assert.equal(
    found?.reason,
    'etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1; etcd is not running on x: start it with "osctl service etcd start -n x"',
  );
  assert.equal(found?.passing, false);
  // It is starting, or another one may come back.
  const starting = mayLeave(facts(3, lost), "b", none);
  assert.equal(starting?.passing, true);
  assert.match(starting?.reason ?? "", /etcd is not running on x$/);
  const other = { ...stopped, healthy: ["b"], silent: ["x", "y"] };
  assert.equal(mayLeave(other, "b", none)?.passing, true);
  assert.equal(mayBeRemoved(other, "b", none)?.passing, true);
});
