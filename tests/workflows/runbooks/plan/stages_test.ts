import assert from "node:assert/strict";
import { change, makeTextPlan, previewsAt, stageAt } from "./_plan_inputs.ts";

const modules = [change("touch")];

Deno.test("each stage has the path, title, condition and marks of its step", async () => {
  const plan = await makeTextPlan(
    `
groups: { workers: { role: worker } }
steps:
  - id: all
    title: All of them
    pointOfNoReturn: true
    forEach: workers
    steps:
      - { id: a, title: Touch it, when: node.ready, onFailure: continue, run: touch }
`,
    { modules },
  );
  const { path, id, title, when, happens, onFailure, pointOfNoReturn } =
    stageAt(
      plan,
      "all/a",
    );
  assert.deepEqual(
    { path, id, title, when, happens, onFailure, pointOfNoReturn },
    {
      path: "all/a",
      id: "a",
      title: "Touch it",
      when: "node.ready",
      happens: "yes",
      onFailure: "continue",
      pointOfNoReturn: false,
    },
  );
  assert.equal(stageAt(plan, "all").pointOfNoReturn, true);
  assert.equal(stageAt(plan, "all").title, "All of them");
});

Deno.test("a step happens when it does on any node, and each node says it for itself", async () => {
  const plan = await makeTextPlan(
    `
groups: { all: { order: [name] } }
steps: [{ id: all, forEach: all, steps: [{ id: a, when: "node.name == 'w-4'", run: touch }] }]
`,
    { modules },
  );
  assert.equal(stageAt(plan, "all/a").happens, "yes");
  assert.deepEqual(previewsAt(plan, "all/a"), [
    "cp-1 skip when node.name == 'w-4'",
    "cp-2 skip when node.name == 'w-4'",
    "cp-3 skip when node.name == 'w-4'",
    "w-4 change touch",
    "w-5 skip when node.name == 'w-4'",
  ]);
});

Deno.test("the work of the run itself has what is done on failure, and in any case", async () => {
  const plan = await makeTextPlan(
    `
groups: { workers: { role: worker } }
steps: [{ id: a, forEach: workers, steps: [{ id: t, run: touch }] }]
rescue: [{ id: r, forEach: workers, steps: [{ id: t, run: touch }] }]
always: [{ id: z, forEach: workers, steps: [{ id: t, run: touch }] }]
`,
    { modules },
  );
  assert.deepEqual(
    [plan.stages, plan.rescue, plan.always].map((all) =>
      all.map((s) => s.path)
    ),
    [["a"], ["r"], ["z"]],
  );
  assert.deepEqual(previewsAt(plan, "r/t"), []);
  assert.deepEqual(previewsAt(plan, "z/t"), [
    "w-4 change touch",
    "w-5 change touch",
  ]);
});
