import assert from "node:assert/strict";
import type { NewRecord } from "../../runbooks/_records.ts";
import type { SeenNode } from "../../../../workflows/rehearsal/invariants/evidence.ts";
import {
  bootable,
  findCordoned,
  restartedOnce,
} from "../../../../workflows/rehearsal/invariants/nodes.ts";
import {
  cluster,
  evidence,
  node,
  nodes,
  records,
  report,
} from "../_evidence.ts";

/** A cluster with another first worker. */
function worker(more: Partial<SeenNode>) {
  return cluster({ nodes: [...nodes.slice(0, 3), node("w-1", more)] });
}

const reboot = {
  type: "intent" as const,
  path: "workers/restart",
  node: "w-1",
  data: { operation: "reboot" },
};
const failed = {
  type: "result" as const,
  path: "workers/restart",
  node: "w-1",
  data: { state: "failed" },
};

Deno.test("every restart has a reason in the journal: a step, one that failed, an install in doubt", () => {
  const look = (reboots: number, ...all: readonly NewRecord[]) =>
    restartedOnce(
      evidence({ after: worker({ reboots }), records: records(...all) }),
    );
  assert.equal(look(0).state, "held");
  assert.equal(look(1, reboot, reboot).state, "held");
  assert.equal(look(2, reboot, failed, reboot).state, "held");
  const doubt = { ...reboot, path: "workers/install", type: "step" as const };
  const restarts = { ...doubt, data: { step: "restart" } };
  assert.equal(look(2, restarts, reboot).state, "held");
  assert.deepEqual(look(2, reboot, reboot).evidence, [
    "w-1 restarted 2 times, with reasons for 1",
  ]);
  assert.deepEqual(look(1, { ...reboot, node: "cp-1" }).evidence, [
    "w-1 restarted once, with reasons for 0",
  ]);
});

Deno.test("every node can start something that is known to be good, at the end and whenever a process died", () => {
  const unproved = { version: "v2", slots: ["v2", "v3"], nextVersion: "v2" };
  assert.equal(bootable(evidence({ after: worker(unproved) })).state, "held");
  const bad = worker({ ...unproved, isReady: false });
  const reported = "w-1 has v2, v3, and none of them has ever run there";
  assert.deepEqual(bootable(evidence({ after: bad })).evidence, [reported]);
  assert.deepEqual(bootable(evidence({ between: [bad] })).evidence, [reported]);
  const nothing = worker({ nextVersion: "" });
  assert.deepEqual(bootable(evidence({ after: nothing })).evidence, [
    "w-1 has nothing to boot",
  ]);
  const wipe = records({ ...reboot, data: { operation: "reset" } });
  const wiped = evidence({ after: nothing, records: wipe });
  assert.equal(bootable(wiped).state, "held");
  const gone = worker({ nextVersion: "", isPart: false });
  assert.equal(bootable(evidence({ after: gone })).state, "held");
});

Deno.test("a healthy node that the run has closed is reported, unless the run continues", () => {
  const after = worker({ isCordoned: true });
  assert.deepEqual(findCordoned(evidence({ after })).evidence, [
    "w-1 is left cordoned",
  ]);
  const fine = [
    evidence({ after, before: after }),
    evidence({ after: worker({ isCordoned: true, isReady: false }) }),
    evidence({ after: worker({ isCordoned: true, isPart: false }) }),
  ].map((one) => findCordoned(one).state);
  assert.deepEqual(fine, ["held", "held", "held"]);
  const goesOn = [
    evidence({ after, report: report({ state: "stopped" }) }),
    evidence({ after, report: undefined }),
  ].map((one) => findCordoned(one).state);
  assert.deepEqual(goesOn, ["unchecked", "unchecked"]);
});
