import assert from "node:assert/strict";
import type { Plan } from "../../../../workflows/runbooks/plan/plan.ts";
import {
  change,
  look,
  makeTextPlan,
  node,
  previewsAt,
  stageAt,
  unknownsIn,
} from "./_plan_inputs.ts";

const modules = [
  change("touch"),
  change("reboot", { effect: "disrupt", quorum: "leaves-temporarily" }),
  change("etcd.forfeitLeadership"),
  look("make", {
    scope: "cluster",
    output: { x: { type: "int", summary: "X" } },
  }),
];

const workers = [1, 2, 3, 4, 5].map((n) => node(`w-${n}`));

function fanOut(plan: Plan, path = "all") {
  const stage = stageAt(plan, path);
  if (stage.verb !== "forEach") throw new Error("It is not a fan-out");
  const { batches, ramp, maxUnavailable, maxFailures } = stage;
  return { batches, ramp, maxUnavailable, maxFailures };
}

const all = (strategy: string, run = "touch") => `
groups: { every: { order: [name] } }
steps: [{ id: all, forEach: { nodes: every, strategy: ${strategy} }, steps: [{ id: a, run: ${run} }] }]
`;

Deno.test("nodes of a fan-out come in batches, in the order of admission", async () => {
  const paper = { modules, nodes: workers };
  assert.deepEqual(fanOut(await makeTextPlan(all("{ batch: 2 }"), paper)), {
    batches: [["w-1", "w-2"], ["w-3", "w-4"], ["w-5"]],
    ramp: false,
    maxUnavailable: 2,
    maxFailures: 0,
  });
  assert.deepEqual(
    fanOut(
      await makeTextPlan(
        all("{ batch: [1, 40%], maxUnavailable: 60%, maxFailures: 20% }"),
        paper,
      ),
    ),
    {
      batches: [["w-1"], ["w-2", "w-3"], ["w-4", "w-5"]],
      ramp: true,
      maxUnavailable: 3,
      maxFailures: 1,
    },
  );
});

Deno.test("a fan-out without nodes is not run, and its outputs are known", async () => {
  const plan = await makeTextPlan(
    `
groups: { none: { names: [] } }
steps:
  - { id: all, forEach: none, steps: [{ id: a, run: touch }] }
  - { id: b, assert: { that: "size(steps.all.a) == 0", message: No } }
`,
    { modules },
  );
  const stage = stageAt(plan, "all");
  assert.deepEqual(stage.verb === "forEach" && [stage.steps, stage.batches], [
    [],
    [],
  ]);
  const b = stageAt(plan, "b");
  assert.equal(b.verb === "assert" && b.holds, "yes");
});

Deno.test("limits that depend on steps are taken as narrow as can be, and said to be open", async () => {
  const plan = await makeTextPlan(
    `
groups: { every: {} }
steps:
  - { id: make, run: make }
  - id: all
    forEach: { nodes: every, strategy: { batch: "\${{ steps.make.x }}", maxFailures: 2 } }
    steps: [{ id: a, run: touch }]
`,
    { modules, nodes: workers },
  );
  assert.deepEqual(fanOut(plan).batches.length, 5);
  assert.equal(fanOut(plan).maxFailures, 0);
  assert.deepEqual(unknownsIn(plan), [
    "all strategy.batch: steps.make.x <- make",
  ]);
});

Deno.test("plan fan-out: the etcd leader is known for the first control plane only", async () => {
  const plan = await makeTextPlan(
    `
groups: { cps: { role: controlplane, order: [name] }, workers: { role: worker } }
steps:
  - id: cps
    forEach: cps
    steps:
      - { id: hand, when: node.etcd.leader, run: etcd.forfeitLeadership }
      - { id: down, run: reboot }
  - id: workers
    forEach: workers
    steps:
      - { id: hand, when: node.etcd.leader, run: etcd.forfeitLeadership }
  - { id: after, when: "groups.cps[0].etcd.leader", sleep: 1s }
`,
    { modules },
  );
  assert.deepEqual(previewsAt(plan, "cps/hand"), [
    "cp-1 change etcd.forfeitLeadership",
    "cp-2 unknown if node.etcd.leader",
    "cp-3 unknown if node.etcd.leader",
  ]);
  assert.equal(stageAt(plan, "workers/hand").happens, "no");
  assert.equal(stageAt(plan, "after").happens, "unknown");
  assert.deepEqual(fanOut(plan, "cps").batches, [["cp-1"], ["cp-2"], ["cp-3"]]);
});

Deno.test("a fan-out that is omitted has no nodes, one that may be has them", async () => {
  const plan = await makeTextPlan(
    `
groups: { every: {} }
steps:
  - { id: make, run: make }
  - { id: no, when: "false", forEach: every, steps: [{ id: a, run: touch }] }
  - { id: maybe, when: "steps.make.x > 1", forEach: every, steps: [{ id: a, run: touch }] }
`,
    { modules, nodes: workers },
  );
  assert.deepEqual(fanOut(plan, "no").batches, []);
  assert.equal(fanOut(plan, "maybe").batches.length, 5);
  assert.deepEqual(previewsAt(plan, "maybe/a"), []);
});

Deno.test("only the run knows which nodes a block has changed, and what is done on them is shown for any", async () => {
  const plan = await makeTextPlan(
    `
groups: { every: {} }
steps: [{ id: all, forEach: every, steps: [{ id: a, run: touch }] }]
rescue:
  - id: undo
    forEach: changed
    steps:
      - { id: mine, when: changed(node), run: touch }
      - { id: named, decide: { name: who, value: "\${{ node.name }}" } }
`,
    { modules, nodes: workers },
  );
  const [undo] = plan.rescue;
  assert.ok(undo?.verb === "forEach");
  assert.deepEqual([undo.open, undo.batches], [true, []]);
  assert.deepEqual(
    undo.steps.map(({ path, happens }) => [path, happens]),
    [["undo/mine", "unknown"], ["undo/named", "unknown"]],
  );
  assert.equal(unknownsIn(plan)[0], "undo nodes: changed <- ");
  assert.deepEqual(plan.groups.map(({ name }) => name), ["changed", "every"]);
});
