import assert from "node:assert/strict";
import {
  carriedOut,
  endingOf,
  type Rehearsal,
  rehearsed,
  type Seen,
  succeeded,
} from "./_rehearsed.ts";

const upgrade = "builtin:rolling-upgrade";
const version = "version=v1.13.6";

/** Upgrades with faults; whatever was done, everything that must hold did. */
async function upgraded(
  faults: readonly string[],
  more: Partial<Rehearsal> = {},
): Promise<Seen> {
  const inputs = [version, "soak=2s", ...more.inputs ?? []];
  const seen = await rehearsed({
    runbook: upgrade,
    cluster: "3cp+2w",
    ...more,
    faults,
    inputs,
  });
  assert.deepEqual(seen.violated, []);
  assert.deepEqual(seen.problems, []);
  return seen;
}

/** Nodes of a state, by name, over all fan-outs but that of the images. */
function named({ report }: Seen, state: string): readonly string[] {
  const found = report?.targets.flatMap((target) =>
    target.state === state && target.path !== "prepull" ? [target.node] : []
  );
  return [...new Set(found)].toSorted();
}

function versions({ after }: Seen): readonly string[] {
  return after.nodes.filter(({ isPart }) => isPart).map(({ version }) =>
    version
  );
}

const everybody = [
  "demo-controlplane-1",
  "demo-controlplane-2",
  "demo-controlplane-3",
  "demo-worker-1",
  "demo-worker-2",
];

Deno.test("rolling-upgrade: an image that is not there fails before anything is closed", async () => {
  const seen = await upgraded(["registry: not-found"]);
  assert.equal(seen.report?.state, "failed");
  assert.equal(seen.report?.failure?.step, "prepull/pull");
  assert.deepEqual(
    seen.after.calls.filter(({ method }) =>
      method.startsWith("PATCH /api/v1/nodes")
    ),
    [],
  );
});

Deno.test("rolling-upgrade: a registry that is down for three minutes is tried again", async () => {
  const seen = await upgraded(["registry: down for 25s"]);
  assert.deepEqual(endingOf(seen), succeeded);
});

Deno.test("rolling-upgrade: a disruption budget that never lets go leaves the node open, and nothing installed", async () => {
  const seen = await upgraded(["node/worker-1: pdb-blocks"]);
  assert.deepEqual(endingOf(seen), ["failed", 4, "drain-blocked"]);
  assert.deepEqual(seen.after.nodes.map(({ isCordoned }) => isCordoned), [
    ...[false, false, false, false, false],
  ]);
  assert.deepEqual(seen.after.nodes[3]?.slots, ["v1.13.4"]);
});

Deno.test("rolling-upgrade: an installer whose stream drops is not started again", async () => {
  const seen = await upgraded([
    "rpc/Upgrade/worker-1: drop-after-send times 1",
  ]);
  assert.deepEqual(endingOf(seen), succeeded);
  assert.deepEqual(carriedOut(seen, "Upgrade").toSorted(), everybody);
});

Deno.test("rolling-upgrade: a runner that dies between installation and restart continues with the restart", async () => {
  const seen = await upgraded(["runner: kill @ restart for 1m"]);
  assert.deepEqual(endingOf(seen), succeeded);
  assert.deepEqual(carriedOut(seen, "Upgrade").toSorted(), everybody);
});

Deno.test("rolling-upgrade: a worker that never returns stops the others, or is within the budget", async () => {
  const lost = "node/worker-1: never-returns @ restart";
  const stopped = await upgraded([lost]);
  assert.deepEqual(endingOf(stopped), ["failed", 4, "never-returned"]);
  assert.deepEqual(named(stopped, "done"), []);
  const second = "node/worker-2: never-returns @ restart";
  const within = await upgraded([second], { inputs: ["workerFailures=1"] });
  assert.deepEqual(endingOf(within), ["partial", 3, ""]);
  assert.deepEqual(named(within, "failed"), ["demo-worker-2"]);
});

Deno.test("rolling-upgrade: a control plane that never returns stops the others, and continues after its repair", async () => {
  const never = await upgraded(["node/cp-1: never-returns @ restart"]);
  assert.deepEqual(endingOf(never), ["failed", 4, "never-returned"]);
  const others = ["demo-controlplane-2", "demo-controlplane-3"];
  assert.deepEqual(
    named(never, "not-reached").filter((name) => name.includes("control")),
    others.filter((name) => !named(never, "done").includes(name)),
  );
  const repaired = await upgraded(
    ["node/cp-1: never-returns @ restart for 16m"],
    { resumes: 2 },
  );
  assert.deepEqual(endingOf(repaired), succeeded);
});

Deno.test("rolling-upgrade: a node that returns with the old version is not tried again", async () => {
  const seen = await upgraded(["node/worker-1: returns-old-version @ install"]);
  assert.equal(seen.report?.failure?.code, "rolled-back");
  assert.equal(carriedOut(seen, "Reboot").length, 1);
  assert.deepEqual(named(seen, "failed"), ["demo-worker-1"]);
});

Deno.test("rolling-upgrade: a node that does not get healthy goes back to the old system", async () => {
  const seen = await upgraded(["node/worker-1: kubelet-down @ verify"]);
  assert.equal(seen.report?.state, "failed");
  assert.deepEqual(named(seen, "recovered"), ["demo-worker-1"]);
  assert.equal(seen.after.nodes[3]?.version, "v1.13.4");
});

Deno.test("rolling-upgrade: no control plane is touched while a member of etcd is not healthy", async () => {
  const seen = await upgraded(["etcd/cp-3: unhealthy @ controlplane"]);
  assert.equal(seen.report?.state, "blocked");
  assert.equal(seen.report?.failure?.code, "quorum-risk");
  assert.deepEqual(versions(seen).slice(0, 3), [
    "v1.13.4",
    "v1.13.4",
    "v1.13.4",
  ]);
  const passing = await upgraded([
    "etcd/cp-3: unhealthy @ controlplane for 20s",
  ]);
  assert.deepEqual(endingOf(passing), succeeded);
});

Deno.test("rolling-upgrade: a leader that moves does not matter", async () => {
  const seen = await upgraded([
    "etcd/cp-1: leader-moves @ controlplane",
    "etcd/cp-2: leader-moves @ verify times 2",
  ]);
  assert.deepEqual(endingOf(seen), succeeded);
});

Deno.test("rolling-upgrade: one or two control planes are refused, one passes when its absence was accepted", async () => {
  const two = await upgraded([], { cluster: "2cp+1w" });
  assert.deepEqual(endingOf(two), ["blocked", 5, "refused"]);
  const one = await upgraded([], { cluster: "1cp+1w" });
  assert.deepEqual(endingOf(one), ["blocked", 5, "refused"]);
  const accepted = await upgraded([], {
    cluster: "1cp+1w",
    inputs: ["singleControlPlane=true"],
  });
  assert.deepEqual(endingOf(accepted), succeeded);
});

Deno.test("rolling-upgrade: Kubernetes that is unavailable for five minutes is waited for", async () => {
  const seen = await upgraded(["k8s: down @ workers for 5m"], { resumes: 1 });
  assert.deepEqual(endingOf(seen), succeeded);
});

Deno.test("rolling-upgrade: a node that joins meanwhile is left alone", async () => {
  const seen = await upgraded(["node/worker: joins @ controlplane"]);
  assert.equal(versions(seen).filter((one) => one === "v1.13.6").length, 5);
  assert.deepEqual(seen.report?.joined, ["demo-worker-3"]);
});

Deno.test("rolling-upgrade: nodes of before 1.13 are upgraded in one call, and restarted once as well", async () => {
  const seen = await upgraded([], { cluster: "3cp+1w,v1.12.4" });
  assert.deepEqual(endingOf(seen), succeeded);
  assert.deepEqual(seen.after.nodes.map(({ reboots }) => reboots), [
    1,
    1,
    1,
    1,
  ]);
  assert.deepEqual(carriedOut(seen, "Reboot"), []);
});
