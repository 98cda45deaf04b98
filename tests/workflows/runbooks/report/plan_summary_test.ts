import assert from "node:assert/strict";
import type {
  Plan,
  PlanStage,
} from "../../../../workflows/runbooks/plan/plan.ts";
import { planSummary } from "../../../../workflows/runbooks/report/plan_summary.ts";
import { emptyPlan, fullPlan, head } from "../plan/page/_plans.ts";

Deno.test("planSummary fits a plan on a page of 80 columns", () => {
  assert.deepEqual(planSummary(fullPlan, { columns: 80 }).split("\n"), [
    "rolling-upgrade on prod: Upgrade every node, one safe disruption at a time",
    "",
    "Steps",
    "  1  preflight         does not hold now: NOSPACE on cp-1 <since Monday>",
    "  2  versions          holds now",
    '  3  pick              first = "cp-1"',
    "  4  Snapshot of etcd  from cp-1",
    "  5  Approval          Upgrade 8 nodes to v1.14.1",
    "  6  controlplane      cp-1, cp-2, cp-3; one at a time",
    "  7  workers           w-1, w-2, w-3, w-4, w-5; 1, then 4 at once",
    "  8  pause             30s",
    "  9  Approval          Forget the old snapshots (destructive)",
    "",
    "On each node",
    "  steps 6 and 7: cordon, install, restart, back",
    "    if it fails: revert",
    "    in any case: uncordon",
    "",
    "Stops",
    "  if a check fails: steps 1 and 2",
    "  at the first node that fails: step 6",
    "  if more than 1 node failed: step 7",
    "  S1 waits: cp-2: etcd voter cp-3 is not healthy",
    "  S3 overridden: lab cluster",
    "  cannot be undone after: restart",
    "  then, if it failed: evidence",
    "  at the end, in any case: report",
    "",
    "Approvals",
    "  step 5: --yes approves it",
    "  step 9: --yes-destructive destroy:prod",
    "",
    "Takes",
    "  about 31m plus the time until someone approves (default times, as it has not",
    "    run on this cluster yet)",
    "",
    "Does not",
    "  change other nodes, destroy data",
    "  wipe: its condition is false: inputs.wipe",
    "  change nodes that joined the cluster: w-6",
    "  change nodes that left the cluster: w-0",
    "",
    "Inputs",
    "  version v1.14.1, workerBatch 2",
    "",
    "Every step on every node: --details, or -o html",
    "",
  ]);
});

Deno.test("planSummary takes durations from an earlier run, and uses the width there is", () => {
  const earlier = {
    run: "20261120-7k2f",
    meanMs: new Map([["controlplane", 150_000], ["workers", 60_000]]),
  };
  const given = new Set(["version", "nodes"]);
  const options = { columns: 120, earlier, given };
  const inputs = { ...fullPlan.inputs, nodes: ["w-1", "w-2"] };
  const lines = planSummary({ ...fullPlan, inputs }, options).split("\n");
  assert.ok(
    lines.includes(
      "  about 12m plus the time until someone approves (as in an earlier run)",
    ),
    lines.join("\n"),
  );
  assert.ok(
    lines.includes("  version v1.14.1, nodes w-1,w-2"),
    lines.join("\n"),
  );
});

Deno.test("planSummary never promises less than the plan waits on its nodes, whatever an earlier run took", () => {
  const soak: PlanStage = {
    ...head("all/soak"),
    verb: "gate",
    checks: [],
    within: "10m",
    holdFor: "2m",
  };
  const stage = fanOut("all", "All", [["a"], ["b"], ["c"], ["d"], ["e"]]);
  const plan = { ...emptyPlan, stages: [{ ...stage, steps: [soak] }] };
  const earlier = { run: "20261120-7k2f", meanMs: new Map([["all", 12_000]]) };
  assert.match(
    planSummary(plan as Plan, { earlier }),
    /^Takes\n {2}about 10m \(as in an earlier run\)$/m,
  );
});

function read(path: string, title: string): PlanStage {
  const previews = [{ outcome: "read" as const, actions: [] }];
  const stage = { module: "node.system", effect: "read" as const, previews };
  return { ...head(path, { title }), verb: "run", ...stage };
}

function fanOut(
  path: string,
  title: string,
  batches: readonly (readonly string[])[],
  steps: readonly string[] = ["look"],
): PlanStage {
  return {
    ...head(path, { title }),
    verb: "forEach",
    group: "nodes",
    batches,
    ramp: false,
    maxUnavailable: 1,
    maxFailures: 0,
    steps: steps.map((one) => read(`${path}/${one}`, one)),
    rescue: [],
    always: [],
  };
}

function block(
  path: string,
  title: string,
  steps: readonly PlanStage[],
): PlanStage {
  const back = [read(`${path}/back`, "Take it back")];
  const stage = { steps, rescue: back, always: [] };
  return { ...head(path, { title }), verb: "block", ...stage };
}

Deno.test("planSummary shows the steps of blocks, and names nodes and steps once", () => {
  const masters = [["prod-master-1"], ["prod-master-2"], ["prod-master-3"]];
  const plan = {
    ...emptyPlan,
    stages: [
      fanOut("pull", "Pull", [[...masters.flat(), "prod-worker-1"]]),
      block("os", "Rotate the CA", [
        fanOut("os/a", "Accept it", masters, ["Cordon", "Patch"]),
        block("os/b", "Switch to it", [
          fanOut("os/b/c", "Masters", masters, ["Cordon", "Patch", "Check"]),
          fanOut("os/b/w", "Workers", [["prod-worker-1"]]),
          fanOut("os/b/o", "Others", []),
        ]),
        fanOut("os/c", "Look at it", [masters.flat()]),
      ]),
      read("end", "Write the CA"),
      { ...read("next", "Read it"), behind: "end" },
      { ...read("last", "Copy it"), behind: "end" },
    ],
  };
  const text = planSummary(plan, { columns: 80 });
  assert.deepEqual(text.split("\n").slice(2, 22), [
    "Steps",
    "  1  Pull                     all 4 nodes at once",
    "     Rotate the CA:",
    "  2    Accept it              prod-master-1, -2, -3; one at a time",
    "  3    Switch to it: masters  as step 2",
    "  4    Switch to it: workers  prod-worker-1",
    "  5    Switch to it: others   no nodes",
    "  6    Look at it             nodes of step 2; all at once",
    "  7  Write the CA",
    "     2 further steps not reached",
    "",
    "On each node",
    "  steps 2 and 3: cordon, patch, check (step 3)",
    "",
    "Stops",
    "  at the first node that fails: steps 1-4 and 6",
    "  then, if it failed: take it back",
    "",
    "Takes",
    "  less than a minute (default times, as it has not run on this cluster yet)",
  ]);
  assert.match(
    text,
    /^Does not\n {2}change other nodes, destroy data, reboot nodes$/m,
  );
});

Deno.test("planSummary promises nothing about programs on this machine", () => {
  const program = { ...read("hook", "Run a hook"), module: "command" };
  const text = planSummary({ ...emptyPlan, stages: [program as PlanStage] });
  assert.match(text, /^Does not\n {2}change other nodes$/m);
});

Deno.test("planSummary says what would be refused", () => {
  const plan = {
    ...emptyPlan,
    stages: [{
      ...head("check", { title: "Check etcd" }),
      verb: "assert" as const,
      that: "x",
      holds: "no" as const,
      message: "etcd has lost quorum",
    }],
    refusals: [{ path: "check", reason: "etcd has lost quorum" }],
  };
  assert.deepEqual(planSummary(plan).split("\n").slice(0, 8), [
    "rolling-upgrade on prod: Upgrade every node, one safe disruption at a time",
    "",
    "Refused",
    "  Check etcd: etcd has lost quorum",
    "",
    "Steps",
    "  1  Check etcd  refused",
    "",
  ]);
});

Deno.test("planSummary says why there is nothing to do, or nothing to change", () => {
  assert.match(
    planSummary(emptyPlan),
    /^Nothing to do\n {2}the runbook has no steps$/m,
  );
  const skipped = {
    ...read("a", "Rotate it"),
    when: "inputs.rotate",
    happens: "no" as const,
  };
  assert.match(
    planSummary({ ...emptyPlan, stages: [skipped] }),
    /^Nothing to do\n {2}rotate it: its condition is false: inputs\.rotate$/m,
  );
  const stages = [
    fanOut("pull", "Pull", []),
    read("b", "Check it"),
    { ...fanOut("workers", "Upgrade", []), group: "stale" } as PlanStage,
  ];
  assert.match(
    planSummary({ ...emptyPlan, stages }),
    /^Nothing to change\n {2}steps 1 and 3: no node of the cluster is in groups nodes, stale now$/m,
  );
});

Deno.test("planSummary names the versions of an upgrade, and the file of a snapshot", () => {
  const reason = "saved as before.snapshot in the folder of the run";
  const snapshot: PlanStage = {
    ...head("snapshot", { title: "Snapshot etcd" }),
    verb: "run",
    module: "etcd.snapshot",
    effect: "read",
    previews: [{ outcome: "read", actions: [], reason }],
  };
  const upgrade = (froms: readonly string[]) => {
    const nodes = froms.map((_, i) => `w-${i + 1}`);
    const stage = fanOut("all", "Upgrade", nodes.map((name) => [name]));
    const install: PlanStage = {
      ...head("all/install"),
      verb: "run",
      module: "upgrade.install",
      effect: "write",
      previews: froms.map((from, i) => ({
        node: nodes[i] ?? "",
        outcome: "change",
        actions: [{ action: "install x", from, to: "v1.14.1" }],
      })),
    };
    const stages = [snapshot, { ...stage, steps: [install] } as PlanStage];
    return planSummary({ ...emptyPlan, stages }).split("\n").slice(3, 5);
  };
  assert.deepEqual(upgrade(["v1.13.4", "v1.13.4"]), [
    "  1  Snapshot etcd  saved as before.snapshot in the folder of the run",
    "  2  Upgrade        w-1, w-2; one at a time; from v1.13.4 to v1.14.1",
  ]);
  assert.equal(
    upgrade(["v1.13.4", "v1.13.6", "v1.13.6"])[1],
    "  2  Upgrade        w-1, w-2, w-3; one at a time; w-1 from v1.13.4 to v1.14.1; w-2, w-3 from v1.13.6 to v1.14.1",
  );
});
