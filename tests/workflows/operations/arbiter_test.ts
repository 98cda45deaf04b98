import assert from "node:assert/strict";
import {
  type Arbiter,
  createArbiter,
  type Slot,
} from "../../../workflows/operations/arbiter.ts";
import type { Effect } from "../../../workflows/operations/operation.ts";
import type {
  Allowance,
  QuorumEffect,
  Refusal,
} from "../../../workflows/etcd/quorum.ts";
import { LockedError } from "../../../errors.ts";
import type { ClusterEtcd } from "../../../workflows/etcd/etcd_facts.ts";

const members = ["a", "b", "c"].map((id) => ({
  id,
  name: `node-${id}`,
  learner: false,
}));

function etcd(healthy: readonly string[]): ClusterEtcd {
  return {
    facts: {
      members,
      healthy,
      alarms: [],
      leader: "a",
      silent: [],
      doubts: [],
      readAt: 0,
    },
    memberOf: new Map(members.map(({ id }) => [`cp-${id}`, id])),
  };
}

/** An arbiter whose looks at etcd find one state after the other; the last one stays. */
function makeArbiter(
  states: readonly ClusterEtcd[],
  ...allowed: readonly Allowance[]
): Arbiter {
  return lockArbiter(undefined, states, ...allowed);
}

/** The same on a cluster that a run may have locked. */
function lockArbiter(
  unlocked: (() => Promise<void>) | undefined,
  states: readonly ClusterEtcd[],
  ...allowed: readonly Allowance[]
): Arbiter {
  let at = 0;
  let now = 0;
  return createArbiter({
    readRole: (node) =>
      Promise.resolve(
        node.startsWith("cp-")
          ? "controlplane"
          : node === "worker"
          ? "worker"
          : "unknown",
      ),
    readEtcd: () =>
      Promise.resolve(states[Math.min(at++, states.length - 1)] ?? etcd([])),
    allowed: new Set(allowed),
    unlocked,
    clock: {
      now: () => now,
      sleep(ms) {
        now += ms;
        return Promise.resolve();
      },
    },
  });
}

interface Request {
  readonly node: string;
  readonly effect: Effect;
  readonly quorum: QuorumEffect;
  readonly member?: string;
  readonly signal: AbortSignal;
}

const request: Request = {
  node: "cp-a",
  effect: "disrupt",
  quorum: "leaves-temporarily",
  signal: new AbortController().signal,
};

async function admit(
  arbiter: Arbiter,
  changes: Partial<Request> = {},
): Promise<{ readonly steps: string[]; readonly end: Slot | Refusal }> {
  const steps: string[] = [];
  const { quorum, member, effect, ...context } = { ...request, ...changes };
  const operation = {
    quorum: () => quorum,
    ...member !== undefined && { member: () => member },
  };
  const waiting = arbiter.admit(context, operation, null, effect);
  while (true) {
    const { done, value } = await waiting.next();
    if (done) return { steps, end: value };
    steps.push(value.text);
  }
}

Deno.test("arbiter: wiping a control plane is admitted like disrupting it", async () => {
  const arbiter = makeArbiter([etcd(["b", "c"])]);
  const { end } = await admit(arbiter, { node: "x", effect: "destroy" });
  assert.ok("rule" in end);
});

Deno.test("arbiter: operations that do not disrupt etcd are admitted without reading it", async () => {
  const arbiter = makeArbiter([etcd([])]);
  for (
    const changes of [
      { effect: "write" },
      { quorum: "none" },
      { node: "worker" },
    ] as const
  ) {
    const { steps, end } = await admit(arbiter, changes);
    assert.deepEqual(steps, []);
    assert.ok("release" in end);
  }
});

Deno.test("while a run has the lock nothing is disturbed, and the next in turn is not held up by that", async () => {
  let isLocked = true;
  const arbiter = lockArbiter(
    () =>
      isLocked
        ? Promise.reject(new LockedError("A run has locked the cluster"))
        : Promise.resolve(),
    [etcd(["a", "b", "c"])],
  );
  for (const node of ["cp-a", "worker"]) {
    await assert.rejects(admit(arbiter, { node }), { name: "LockedError" });
  }
  const gentle = await admit(arbiter, { effect: "write" });
  assert.ok("release" in gentle.end);
  isLocked = false;
  const { steps, end } = await admit(arbiter, { node: "cp-b" });
  assert.deepEqual(steps, []);
  assert.ok("release" in end);
});

Deno.test("a node of unknown role counts as any healthy member, and the refusal says so", async () => {
  const well = await admit(makeArbiter([etcd(["a", "b", "c"])]), { node: "x" });
  assert.ok("release" in well.end);
  const { end } = await admit(makeArbiter([etcd(["b", "c"])]), { node: "x" });
  assert.ok("rule" in end);
  assert.equal(
    end.reason,
    "the role of x is unknown, so it is treated as a control plane: etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1",
  );
});

Deno.test("the member that an operation names counts, not that of the node that is asked", async () => {
  const arbiter = makeArbiter([etcd(["a", "b"])]);
  const { end } = await admit(arbiter, { node: "cp-c", member: "a" });
  assert.ok("rule" in end);
  const other = await admit(arbiter, { node: "cp-a", member: "c" });
  assert.ok("release" in other.end);
});

Deno.test("a second control plane waits until the first is well again", async () => {
  const arbiter = makeArbiter([etcd(["a", "b", "c"])]);
  const { end: first } = await admit(arbiter);
  assert.ok("release" in first);
  let isAdmitted = false;
  const steps: string[] = [];
  const second = admit(arbiter, { node: "cp-b" }).then((admitted) => {
    isAdmitted = true;
    steps.push(...admitted.steps);
  });
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assert.equal(isAdmitted, false);
  first.release();
  await second;
  assert.equal(isAdmitted, true);
  assert.deepEqual(steps, ["waiting for other control planes"]);
});

Deno.test("a control plane does not wait for one that is well again", async () => {
  const arbiter = makeArbiter([etcd(["a", "b", "c"])]);
  const { end: first } = await admit(arbiter);
  assert.ok("release" in first);
  first.release();
  const { steps, end } = await admit(arbiter, { node: "cp-b" });
  assert.deepEqual(steps, []);
  assert.ok("release" in end);
});

Deno.test("a rule that may pass by itself is waited for, with its reason", async () => {
  const arbiter = makeArbiter([etcd(["a", "b"]), etcd(["a", "b", "c"])]);
  const { steps, end } = await admit(arbiter);
  assert.deepEqual(steps, [
    "waiting: etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1",
  ]);
  assert.ok("release" in end);
});

Deno.test("a rule that does not pass refuses after a minute, and lets the next one in", async () => {
  const arbiter = makeArbiter([etcd(["a", "b"])]);
  const { end } = await admit(arbiter);
  assert.ok("rule" in end);
  assert.equal(end.rule, "S1");
  const { end: next } = await admit(arbiter, { node: "cp-c" });
  // The one that is missing already may be disturbed.
  assert.ok("release" in next);
});

Deno.test("arbiter: an interrupt ends the wait with the refusal", async () => {
  const { steps, end } = await admit(makeArbiter([etcd(["a", "b"])]), {
    signal: AbortSignal.abort(),
  });
  assert.deepEqual(steps, []);
  assert.ok("rule" in end);
  assert.equal(end.rule, "S1");
});

Deno.test("an overridden rule does not hold anybody back", async () => {
  const arbiter = makeArbiter([etcd(["a"])], "etcd-quorum");
  assert.ok("release" in (await admit(arbiter)).end);
});

Deno.test("arbiter: a member that leaves for good is judged by the remaining ones", async () => {
  const two = etcd(["a", "b"]);
  const facts = { ...two.facts, members: members.slice(0, 2) };
  const arbiter = makeArbiter([{ ...two, facts }]);
  const { end: forever } = await admit(arbiter, { quorum: "leaves-forever" });
  assert.ok("release" in forever);
  forever.release();
  for (const quorum of ["leaves-temporarily", "dies"] as const) {
    const { end } = await admit(arbiter, { quorum });
    assert.ok("rule" in end);
    assert.equal(end.rule, "S4");
  }
});

Deno.test("leave is renewed by a fresh look, and only where a rule could forbid it", async () => {
  const well = etcd(["a", "b", "c"]);
  const arbiter = makeArbiter([well, well, etcd(["a", "b"])]);
  const { end } = await admit(arbiter);
  assert.ok("release" in end);
  const again = async () => {
    const waiting = end.renew?.() ?? assert.fail();
    while (true) {
      const { done, value } = await waiting.next();
      if (done) return value;
    }
  };
  assert.equal(await again(), undefined);
  assert.equal((await again())?.rule, "S1");
  const { end: free } = await admit(arbiter, { node: "worker" });
  assert.ok("release" in free);
  assert.equal(free.renew, undefined);
});
