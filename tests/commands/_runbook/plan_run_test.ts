import assert from "node:assert/strict";
import { refusePlan } from "../../../commands/_runbook/plan_run.ts";
import { emptyPlan } from "../../workflows/runbooks/plan/page/_plans.ts";

const one = {
  ...emptyPlan,
  refusals: [{ path: "preflight", reason: "S8: cp-1: v1.17.9 is too new" }],
};

Deno.test("refusePlan gives the first reason where the page is not on the screen", () => {
  assert.throws(() => refusePlan(one, false), {
    message: "A run would be refused: preflight: S8: cp-1: v1.17.9 is too new",
  });
});

Deno.test("refusePlan names only the rules of reasons that are on the screen", () => {
  assert.throws(() => refusePlan(one, true), {
    message: "A run would be refused for the reason at the top of the plan: S8",
  });
  const refusals = [{ reason: "a run has the lock" }, {
    node: "cp-2",
    reason: "S18: a run has it; S1: etcd has no quorum",
  }];
  assert.throws(() => refusePlan({ ...emptyPlan, refusals }, true), {
    message:
      "A run would be refused for the 2 reasons at the top of the plan: S1, S18",
  });
});
