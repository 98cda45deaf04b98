import assert from "node:assert/strict";
import type {
  PlanStage,
  StageOf,
} from "../../../../workflows/runbooks/plan/plan.ts";
import { formatTime } from "../../../../workflows/runbooks/report/plan_time.ts";
import { head } from "../plan/page/_plans.ts";

/** A step on two nodes, one after the other. */
function onTwo(
  path: string,
  module: string,
  gentle: { readonly gentle?: true } = {},
): PlanStage {
  const step: StageOf<"run"> = {
    ...head(`${path}/step`),
    verb: "run",
    module,
    effect: "disrupt",
    previews: ["w-1", "w-2"].map((node) => ({
      node,
      outcome: "change",
      actions: [{ action: "apply", ...gentle }],
    })),
  };
  return {
    ...head(path),
    verb: "forEach",
    group: "workers",
    batches: [["w-1"], ["w-2"]],
    ramp: false,
    maxUnavailable: 1,
    maxFailures: 0,
    steps: [step],
    rescue: [],
    always: [],
  };
}

Deno.test("formatTime estimates changes that disrupt no node as those without a reboot", () => {
  const reboots = onTwo("workers", "config.replace");
  const gentle = onTwo("workers", "config.replace", { gentle: true });
  assert.equal(
    formatTime([reboots], undefined),
    "about 6m (default times, as it has not run on this cluster yet)",
  );
  assert.equal(
    formatTime([gentle], undefined),
    "less than a minute (default times, as it has not run on this cluster yet)",
  );
  // An earlier run may have rebooted the nodes.
  const earlier = { run: "r", meanMs: new Map([["workers", 240_000]]) };
  assert.equal(
    formatTime([gentle], earlier),
    "less than a minute (default times)",
  );
});

Deno.test("formatTime says which part an earlier run has measured", () => {
  const stages = [onTwo("a", "node.reboot"), onTwo("b", "node.reboot")];
  const sources = [["c"], ["a"], ["a", "b"]].map((paths) =>
    formatTime(stages, {
      run: "r",
      meanMs: new Map(paths.map((path) => [path, 60_000])),
    })
  );
  assert.deepEqual(sources, [
    "about 12m (default times)",
    "about 8m (partly as in an earlier run)",
    "about 4m (as in an earlier run)",
  ]);
});
