import assert from "node:assert/strict";
import { planSummary } from "../../../../workflows/runbooks/report/plan_summary.ts";
import { emptyPlan, fullPlan, head } from "../plan/page/_plans.ts";

Deno.test("planSummary fits a plan on a page of 80 columns", () => {
  assert.deepEqual(planSummary(fullPlan, { columns: 80 }).split("\n"), [
    "rolling-upgrade on prod: Upgrade every node, one safe disruption at a time",
    "",
    "Steps",
    "   1  preflight         does not hold now: NOSPACE on cp-1 <since Monday>",
    "   2  versions          holds now",
    '   3  pick              first = "cp-1"',
    "   4  Snapshot of etcd",
    "   5  wipe              skipped",
    "   6  Approval          Upgrade 8 nodes to v1.14.1",
    "   7  controlplane      cp-1, cp-2, cp-3; one at a time",
    "   8  workers           w-1, w-2, w-3, w-4, w-5; 1, then 4 at once",
    "   9  pause             30s",
    "  10  Approval          Forget the old snapshots (data may be lost)",
    "",
    "On each node",
    "  controlplane, workers: cordon, install, restart, back",
    "    if it fails: revert",
    "    in any case: uncordon",
    "",
    "Stops",
    "  if a check does not hold: preflight, versions",
    "  at the first node that fails: controlplane",
    "  when more than 1 node failed: workers",
    "  S1 waits: cp-2: etcd voter cp-3 is not healthy",
    "  S3 overridden: lab cluster",
    "  cannot be undone after: restart",
    "",
    "Approvals",
    "  start: --yes approves it",
    "  destroy: --yes-destructive destroy:prod",
    "",
    "Takes",
    "  about 31m and the time until the approvals, an estimate: it has not run on",
    "    this cluster yet",
    "",
    "Does not",
    "  change nodes that are not listed above",
    '  run "wipe": inputs.wipe is false',
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
    meanMs: new Map([["controlplane", 90_000], ["workers", 60_000]]),
  };
  const lines = planSummary(fullPlan, { columns: 120, earlier }).split("\n");
  assert.deepEqual(lines.slice(1, 16), [
    "",
    "Steps",
    "   1  preflight         does not hold now: NOSPACE on cp-1 <since Monday>",
    "   2  versions          holds now",
    '   3  pick              first = "cp-1"',
    "   4  Snapshot of etcd",
    "   5  wipe              skipped",
    "   6  Approval          Upgrade 8 nodes to v1.14.1",
    "   7  controlplane      cp-1, cp-2, cp-3; one at a time",
    "   8  workers           w-1, w-2, w-3, w-4, w-5; 1, then 4 at once",
    "   9  pause             30s",
    "  10  Approval          Forget the old snapshots (data may be lost)",
    "",
    "On each node",
    "  controlplane, workers: cordon, install, restart, back",
  ]);
  assert.ok(
    lines.includes(
      "  about 7m and the time until the approvals, as in run 20261120-7k2f",
    ),
    lines.join("\n"),
  );
});

Deno.test("planSummary says what would be refused, and that there is nothing to do", () => {
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
    "  1  Check etcd  fails: etcd has lost quorum",
    "",
  ]);
  assert.match(planSummary(emptyPlan), /^nothing to do$/m);
});
