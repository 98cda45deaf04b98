import assert from "node:assert/strict";
import type { PlanStage } from "../../../../workflows/runbooks/plan/plan.ts";
import {
  check,
  look,
  makeTextPlan,
  stageAt,
  unknownsIn,
} from "./_plan_inputs.ts";

const modules = [
  look("make", {
    scope: "cluster",
    output: {
      x: { type: "string", summary: "X" },
      span: { type: "duration", summary: "Time" },
    },
  }),
];
const checks = [check("well", () => ({ ok: true, seen: "all is well" }))];

function pickDetails(stage: PlanStage): unknown {
  const { path, id, happens, onFailure, pointOfNoReturn, when, ...rest } =
    stage;
  void [path, id, onFailure, pointOfNoReturn, when];
  return { happens, ...rest };
}

Deno.test("plan: values that depend on steps are shown as decided at run time", async () => {
  const plan = await makeTextPlan(
    `
steps:
  - { id: make, run: make }
  - { id: g, when: "steps.make.x == 'a'", gate: [{ check: well }], within: "\${{ steps.make.span }}" }
  - { id: sure, assert: { that: "steps.make.x == 'a'", message: No } }
  - { id: pick, decide: { name: one, value: "\${{ steps.make.x }}" } }
  - { id: rest, sleep: "\${{ steps.make.span }}" }
`,
    { modules, checks },
  );
  assert.deepEqual(plan.stages.slice(1).map(pickDetails), [
    {
      happens: "unknown",
      verb: "gate",
      checks: [{ check: "well", state: "unknown" }],
      within: "",
    },
    {
      happens: "yes",
      verb: "assert",
      that: "steps.make.x == 'a'",
      holds: "unknown",
      message: "No",
    },
    { happens: "yes", verb: "decide", name: "one" },
    { happens: "yes", verb: "sleep", duration: "" },
  ]);
  assert.deepEqual(unknownsIn(plan), [
    "g when: steps.make.x == 'a' <- make",
    "g within: steps.make.span <- make",
    "sure that: steps.make.x == 'a' <- make",
    "pick value: steps.make.x <- make",
    "rest duration: steps.make.span <- make",
  ]);
});

Deno.test("a decision that may not be made, is not made, or has no value is not known", async () => {
  const plan = await makeTextPlan(
    `
groups: { none: { names: [] } }
steps:
  - { id: make, run: make }
  - { id: a, when: "steps.make.x == 'a'", decide: { name: maybe, value: 1 } }
  - { id: b, when: "false", decide: { name: never, value: 1 } }
  - { id: c, decide: { name: wrong, value: "\${{ groups.none[0].name }}" } }
  - { id: d, assert: { that: "decisions.maybe == 1 && decisions.wrong == 'x'", message: No } }
`,
    { modules },
  );
  assert.deepEqual(
    ["a", "b", "c"].map((path) => "value" in stageAt(plan, path)),
    [false, false, false],
  );
  assert.deepEqual(unknownsIn(plan), [
    "a when: steps.make.x == 'a' <- make",
    "d that: decisions.maybe == 1 && decisions.wrong == 'x' <- a, c",
  ]);
});

Deno.test("in a fan-out an assertion holds when it does on every node, and a gate is skipped where it is omitted", async () => {
  const plan = await makeTextPlan(
    `
groups: { all: {} }
steps:
  - id: each
    forEach: all
    steps:
      - { id: a, assert: { that: "node.role == 'worker'", message: No } }
      - { id: b, when: "node.role == 'worker'", assert: { that: "node.role == 'worker'", message: No } }
      - { id: g, when: "node.name == 'w-4'", gate: [{ check: well }], within: 1m }
`,
    { modules, checks },
  );
  const [a, b, g] = ["a", "b", "g"].map((id) => stageAt(plan, `each/${id}`));
  assert.equal(a?.verb === "assert" && a.holds, "no");
  assert.equal(b?.verb === "assert" && b.holds, "yes");
  assert.deepEqual(
    g?.verb === "gate" && g.checks.map(({ node, state }) => `${node} ${state}`),
    ["cp-1 skip", "cp-2 skip", "cp-3 skip", "w-4 holds", "w-5 skip"],
  );
});
