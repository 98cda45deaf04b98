import assert from "node:assert/strict";
import {
  carriedOut,
  endingOf,
  type Rehearsal,
  rehearsed,
  type Seen,
  succeeded,
} from "./_rehearsed.ts";

/** Two of three members that do not come back. */
const lost = ["etcd/cp-2: unhealthy", "etcd/cp-3: unhealthy"] as const;

/** Recovers with more faults; whatever was done, everything that must hold did. */
async function recovered(
  faults: readonly string[],
  more: Partial<Rehearsal> = {},
): Promise<Seen> {
  const seen = await rehearsed({
    runbook: "builtin:etcd-recovery",
    inputs: ["cluster=demo"],
    ...more,
    faults,
  });
  assert.deepEqual(seen.violated, []);
  return seen;
}

Deno.test("etcd-recovery: an etcd that decides is left alone", async () => {
  const seen = await recovered([]);
  assert.equal(seen.report?.state, "blocked");
  assert.match(seen.report?.failure?.message ?? "", /replace-controlplane/);
  assert.deepEqual(carriedOut(seen, "Reset"), []);
});

Deno.test("etcd-recovery: another cluster than the one that is meant stops it at once", async () => {
  const seen = await recovered(lost, { inputs: ["cluster=prod"] });
  assert.match(
    seen.report?.failure?.message ?? "",
    /This context points to demo, not to prod/,
  );
  assert.deepEqual(carriedOut(seen, "Reset"), []);
});

Deno.test("etcd-recovery: a lost etcd is rebuilt, and nothing is lost", async () => {
  const seen = await recovered(lost);
  assert.deepEqual(endingOf(seen), succeeded);
  assert.deepEqual(carriedOut(seen, "Bootstrap"), ["demo-controlplane-1"]);
  assert.deepEqual(
    seen.after.nodes.slice(0, 3).map(({ etcd }) => etcd.members.length),
    [3, 3, 3],
  );
});

Deno.test("etcd-recovery: a runner that dies around the upload or the bootstrap leads to one bootstrap", async () => {
  for (
    const fault of [
      "runner: kill @ bootstrap for 1m",
      "rpc/EtcdRecover: drop-after-send times 1",
      "rpc/Bootstrap: drop-before-send times 1",
      "rpc/Bootstrap: drop-after-send times 1",
    ]
  ) {
    const seen = await recovered([...lost, fault], { resumes: 1 });
    assert.deepEqual(endingOf(seen), succeeded, fault);
    assert.equal(new Set(carriedOut(seen, "Bootstrap")).size, 1, fault);
    assert.equal(carriedOut(seen, "Bootstrap").length, 1, fault);
  }
});

Deno.test("etcd-recovery: a control plane that is dead from the start is declared dead, and the others continue", async () => {
  const seen = await recovered([...lost, "node/cp-3: down"]);
  const asked = seen.events.flatMap(({ type, data }) =>
    type === "approval.requested" ? [String(data.tag)] : []
  );
  assert.ok(asked.includes("declare-dead"));
  assert.deepEqual(carriedOut(seen, "Reset").toSorted(), [
    "demo-controlplane-1",
    "demo-controlplane-2",
  ]);
});

Deno.test("etcd-recovery: a control plane that does not return from the wipe ends it before the bootstrap", async () => {
  const seen = await recovered([...lost, "node/cp-2: never-returns @ wipe"]);
  assert.equal(seen.report?.state, "failed");
  assert.deepEqual(carriedOut(seen, "Bootstrap"), []);
});
