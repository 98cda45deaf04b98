import assert from "node:assert/strict";
import {
  planText,
  planView,
} from "../../../../workflows/runbooks/report/plan_view.ts";
import { emptyPlan, fullPlan, head } from "../plan/page/_plans.ts";

Deno.test("planText says what would happen, in the order of admission", () => {
  const lines = planText(fullPlan).split("\n");
  assert.equal(
    lines.slice(0, 26).join("\n"),
    `rolling-upgrade on prod: Upgrade every node, one safe disruption at a time

STEP                         NODE   STATE      WHAT
preflight                           holds      cluster.health
preflight                           fails      etcd.noAlarms: NOSPACE on cp-1 <since Monday>
preflight                           unknown    upgrade.path
preflight                           skip       etcd.quorum
versions                            holds      inputs.version != "v1.14.0"
pick                                decides    first = "cp-1"
snapshot                            read       from cp-1
wipe                                skipped    when inputs.wipe
go                                  asks       start: Upgrade 8 nodes to v1.14.1
controlplane                        for each   3 nodes of controlplane, at most 1 unavailable, 0 failed
controlplane/node/cordon     cp-1   change     cordon
controlplane/node/install    cp-1   change     install v1.14.1
controlplane/node/restart    cp-1   change     reboot
controlplane/node/back       cp-1   holds      node.ready
controlplane/node/cordon     cp-2   change     cordon
controlplane/node/install    cp-2   change     install v1.14.1
controlplane/node/restart    cp-2   change     reboot
controlplane/node/back       cp-2   holds      node.ready
controlplane/node/cordon     cp-3   change     cordon
controlplane/node/install    cp-3   change     install v1.14.1
controlplane/node/restart    cp-3   change     reboot
controlplane/node/back       cp-3   holds      node.ready
controlplane/node/restart                      point of no return`,
  );
  assert.equal(
    lines.slice(-22).join("\n"),
    `workers/node/cordon          w-5    change     cordon
workers/node/install         w-5    change     install v1.14.1
workers/node/restart         w-5    change     reboot
workers/node/back            w-5    holds      node.ready
workers/node/restart                           point of no return
workers/node/revert                 unknown    on failure: node.rollback
workers/node/uncordon               unknown    always: node.uncordon
pause                               sleeps     30s
destroy-old                         asks       destroy: Forget the old snapshots
rescue/evidence                     unknown    on failure: support
always/report                       unknown    always: note

RULE   NOW          WHERE                               WHY
S1     waits        controlplane/node/restart on cp-2   etcd voter cp-3 is not healthy
S3     overridden                                       lab cluster

DECIDED AT RUN TIME        EXPRESSION
workers/node/revert when   error.step == "back"

joined the cluster: w-6
left the cluster: w-0
`,
  );
});

Deno.test("planText fits a terminal of 80, 120 and 200 columns: what does not fit continues below", () => {
  const widest = Math.max(
    ...planText(fullPlan).split("\n").map((line) => line.length),
  );
  assert.ok(widest > 80, `${widest}`);
  for (const columns of [80, 120, 200]) {
    for (const line of planText(fullPlan, columns).split("\n").slice(1)) {
      assert.ok(line.length <= columns, line);
    }
  }
});

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

STEP   NODE   STATE     WHAT
a             fails     x
b             unknown   n
c      w-1    change    wipe (loses data); reboot; it is old
`,
  );
});

Deno.test("planText says of questions and waits when they may be omitted", () => {
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
    `STEP   NODE   STATE       WHAT
a             may ask     go: Go on?
b             may sleep   30s
`,
  );
});

Deno.test("planView draws the text", () => {
  assert.equal(planView.render(fullPlan, true), planText(fullPlan));
});
