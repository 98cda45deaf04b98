import assert from "node:assert/strict";
import {
  change,
  head,
  look,
  makeTextPlan,
  previewsAt,
  stageAt,
  unknownsIn,
} from "./_plan_inputs.ts";

const modules = [
  change("touch", { input: { x: { type: "any", summary: "X" } } }),
  change("reboot", { effect: "disrupt" }),
  look("make", {
    scope: "cluster",
    output: { x: { type: "string", summary: "X" } },
  }),
];

const inner = `${head("inner")}
inputs:
  x: { type: string, required: true }
  role: { type: string, default: worker }
vars: { shown: "\${{ inputs.x + '!' }}", known: "\${{ inputs.role + '!' }}" }
groups:
  some: { where: "node.role == inputs.role" }
  named: { names: "\${{ [inputs.x] }}" }
  rest: { from: named }
  old: { where: "node.version == 'v1.13.4'", role: worker }
steps:
  - id: all
    forEach: some
    steps:
      - { id: a, run: touch, with: { x: "\${{ vars.shown }}" } }
      - { id: b, run: touch, with: { x: "\${{ vars.known }}" } }
  - { id: none, forEach: rest, steps: [{ id: c, run: touch }] }
  - { id: late, forEach: old, steps: [{ id: d, run: touch }] }
`;

Deno.test("a runbook that is used is opened without what is not known yet", async () => {
  const plan = await makeTextPlan(
    `
groups: { workers: { role: worker } }
steps:
  - { id: make, run: make }
  - { id: down, forEach: workers, steps: [{ id: r, run: reboot }] }
  - { id: part, use: ./inner.yaml, with: { x: "\${{ steps.make.x }}" } }
`,
    { modules, files: { "inner.yaml": inner } },
  );
  assert.deepEqual(previewsAt(plan, "part/all/b"), [
    "w-4 change touch",
    "w-5 change touch",
  ]);
  const none = stageAt(plan, "part/none");
  assert.deepEqual(none.verb === "forEach" && none.batches, []);
  assert.deepEqual(previewsAt(plan, "part/late/d"), [
    "w-4 change touch",
    "w-5 change touch",
  ]);
  assert.deepEqual(unknownsIn(plan), [
    "part with.x: steps.make.x <- make",
    "part/all/a with.x: vars.shown <- make",
    "part/none nodes: rest <- make",
    "part/late nodes: node.version == 'v1.13.4' <- down/r",
  ]);
});
