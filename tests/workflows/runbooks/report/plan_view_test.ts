import assert from "node:assert/strict";
import { planText } from "../../../../workflows/runbooks/report/plan_view.ts";
import type {
  Plan,
  PlanStage,
} from "../../../../workflows/runbooks/plan/plan.ts";
import { emptyPlan, head } from "../plan/page/_plans.ts";

Deno.test("planText says that there is nothing to do", () => {
  assert.equal(
    planText(emptyPlan),
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

nothing to do
`,
  );
});

Deno.test("planText says what is not known, and what does not hold", () => {
  const text = planText({
    ...emptyPlan,
    stages: [
      { ...head("a"), verb: "assert", that: "x", holds: "no", message: "m" },
      { ...head("b"), verb: "decide", name: "n" },
      {
        ...head("c"),
        verb: "run",
        module: "m",
        effect: "destroy",
        previews: [{
          node: "w-1",
          outcome: "change",
          actions: [{ action: "wipe", loses: "data" }, { action: "reboot" }],
          reason: "it is\nold",
        }],
      },
    ],
  });
  assert.equal(
    text,
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

STEP  NODE  STATE        WHAT
1 a         fails        x
2 b         at run time  n
3 c   w-1   changes      wipe (loses data); reboot; it is old

Takes about 3m (default times, as it has not run on this cluster yet)
`,
  );
});

Deno.test("planText lists all inputs, and marks those that were not given", () => {
  const inputs = { version: "v1.14.1", soak: "2m", image: "", limit: null };
  assert.equal(
    planText({ ...emptyPlan, inputs }, { given: new Set(["version"]) }),
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

nothing to do

INPUT    VALUE
version  v1.14.1
soak     2m (default)
image    "" (default)
limit    null (default)
`,
  );
});

Deno.test("planText says of approvals and waits that they are decided at run time", () => {
  const maybe = { when: "x", happens: "unknown" } as const;
  const text = planText({
    ...emptyPlan,
    stages: [
      {
        ...head("a", maybe),
        verb: "approve",
        tag: "go",
        message: "Go on?",
        destructive: false,
      },
      { ...head("b", maybe), verb: "sleep", duration: "30s" },
    ],
  });
  assert.equal(
    text.split("\n\n")[1],
    `STEP        NODE  STATE        WHAT
1 Approval        at run time  Go on? (--yes=go)
2 b               at run time  30s`,
  );
});

const upgrade: PlanStage = {
  ...head("cp", { title: "Upgrade control planes" }),
  verb: "forEach",
  group: "controlplane",
  batches: [["cp-1"], ["cp-2"]],
  ramp: false,
  maxUnavailable: 1,
  maxFailures: 0,
  steps: [{
    ...head("cp/node/before", { title: "Read the running version" }),
    verb: "run",
    module: "node.system",
    effect: "read",
    previews: [{ node: "cp-1", outcome: "read", actions: [] }],
  }, {
    ...head("cp/node/install", { title: "Install the new system" }),
    verb: "run",
    module: "upgrade.install",
    effect: "disrupt",
    previews: [{
      node: "cp-1",
      outcome: "change",
      actions: [{
        action: `install factory.talos.dev/installer/${
          "0123456789abcdef".repeat(4)
        }:v1.14.1`,
      }],
    }, {
      node: "cp-2",
      outcome: "skip",
      actions: [],
      reason: "its condition is false: x",
    }],
  }],
  rescue: [{
    ...head("cp/node/revert", { title: "Roll back", when: "node.ready" }),
    happens: "unknown",
    verb: "run",
    module: "node.rollback",
    effect: "disrupt",
    previews: [],
  }],
  always: [],
};

const upgradePlan: Plan = {
  ...emptyPlan,
  stages: [upgrade],
  safety: [{
    rule: "S1",
    state: "holds",
    reason: "3 voters",
    path: "cp/node/install",
  }],
  unknowns: [{
    path: "cp/node/revert",
    what: "when",
    expression: "node.ready",
    needs: [],
  }],
};

Deno.test("planText names steps by number and title, rules by their requirement, and shortens schematics", () => {
  assert.equal(
    planText(upgradePlan).split("\n").slice(2).join("\n"),
    `STEP                          NODE  STATE        WHAT
1 Upgrade control planes                         cp-1, cp-2; one at a time; stops at the first node that fails
1 · read the running version  cp-1  reads
1 · install the new system    cp-1  changes      install factory.talos.dev/installer/0123456789ab…:v1.14.1
1 · install the new system    cp-2  skipped      its condition is false: x
1 · roll back                       if it fails  if node.ready

Takes about 2m (default times, as it has not run on this cluster yet)

RULE  NOW    WHERE                                              WHAT
S1    holds  1 Upgrade control planes · install the new system  Control planes are disrupted only while etcd can lose a member: 3 voters

DECIDED AT RUN TIME                   VALUE          EXPRESSION
1 Upgrade control planes · roll back  its condition  node.ready
`,
  );
});

Deno.test("planText writes states before the notes where its columns have no room", () => {
  assert.equal(
    planText(upgradePlan, { columns: 54 }).split("\n\n")[1],
    `STEP                          NODE  STATE
1 Upgrade control planes
      cp-1, cp-2; one at a time; stops at the first
      node that fails
1 · read the running version  cp-1  reads
1 · install the new system    cp-1
      changes: install
      factory.talos.dev/installer/0123456789ab…:v1.14.1
1 · install the new system    cp-2
      skipped: its condition is false: x
1 · roll back
      if it fails: if node.ready`,
  );
});
