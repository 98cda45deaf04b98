import assert from "node:assert/strict";
import type { Module } from "../../../../workflows/runbooks/module.ts";
import type { Plan } from "../../../../workflows/runbooks/plan.ts";
import { makePlan } from "../../../../workflows/runbooks/planner/make_plan.ts";
import { change, look, planOf, refusal, requestOf } from "./_paper.ts";

const modules = [
  change("touch"),
  change("no", { finds: () => refusal("not here") }),
  change("some", {
    finds: (node) => node === "w-4" ? refusal("not here") : "some",
  }),
];

/** What a plan says that a run would be refused for. */
async function refusals(steps: string): Promise<Plan["refusals"]> {
  const groups = "groups: { workers: { role: worker, order: [name] } }\n";
  return (await planOf(groups + steps, { modules })).refusals;
}

/** Ids of the stages that the run would not come to. */
function unreached({ stages, always }: Plan): readonly string[] {
  return [...stages, ...always]
    .flatMap(({ path, behind }) =>
      behind === undefined ? [] : [`${path} behind ${behind}`]
    );
}

Deno.test("an assertion that does not hold, and a step that is refused, end the run", async () => {
  const plan = await planOf(
    `
steps:
  - { id: may, onFailure: continue, assert: { that: "false" } }
  - id: around
    block: [{ id: stop, assert: { that: "1 > 2", message: No } }, { id: a, run: touch, with: { node: w-4 } }]
    always: [{ id: last, run: touch, with: { node: w-4 } }]
  - { id: b, run: touch, with: { node: w-5 } }
always: [{ id: end, run: no, with: { node: w-5 } }]
`,
    { modules },
  );
  // What is done at the end finds what always has changed before.
  assert.deepEqual(plan.refusals, [{ path: "around/stop", reason: "No" }]);
  assert.deepEqual(unreached(plan), ["b behind around/stop"]);
  const [, around] = plan.stages;
  assert.ok(around?.verb === "block");
  assert.deepEqual(around.steps.map(({ happens }) => happens), ["yes", "no"]);
  assert.deepEqual(around.always.map(({ happens }) => happens), ["yes"]);
});

Deno.test("a block that may fail does not end the run", async () => {
  const plan = await planOf(
    `
steps:
  - id: around
    onFailure: continue
    block: [{ id: stop, assert: { that: "1 > 2", message: No } }]
  - { id: b, run: touch, with: { node: w-5 } }
`,
    { modules },
  );
  assert.deepEqual(plan.refusals, []);
  assert.deepEqual(unreached(plan), []);
});

Deno.test("a fan-out bears as many refused nodes as may fail", async () => {
  const each = (most: number, run: string) => `
steps:
  - id: all
    forEach: { nodes: workers, strategy: { maxFailures: ${most} } }
    steps: [{ id: a, ${run} }]
`;
  const some = each(0, "run: some");
  const one = [{ path: "all/a", node: "w-4", reason: "not here" }];
  assert.deepEqual(await refusals(some), one);
  assert.deepEqual(await refusals(each(1, "run: some")), []);
  const both = each(
    1,
    `assert: { that: "node.role == 'controlplane'", message: Only planes }`,
  );
  assert.deepEqual(await refusals(both), [
    { path: "all/a", node: "w-4", reason: "Only planes" },
    { path: "all/a", node: "w-5", reason: "Only planes" },
  ]);
});

Deno.test("what safety rules forbid, and what stands against the run before it begins, is refused", async () => {
  const reboot = change("reboot", {
    effect: "disrupt",
    quorum: "leaves-temporarily",
  });
  const request = await requestOf(
    `
steps: [{ id: a, run: reboot, with: { node: cp-1 } }]
`,
    {
      modules: [reboot],
      etcd: { members: [{ id: "id-cp-1", name: "cp-1", learner: false }] },
    },
  );
  const { refusals } = await makePlan({ ...request, refused: ["No role"] });
  assert.deepEqual(refusals[0], { reason: "No role" });
  assert.deepEqual(
    refusals.slice(1).map(({ path, node }) => [path, node]),
    [["a", "cp-1"]],
  );
  assert.match(refusals[1]?.reason ?? "", /^S3: /);
});

Deno.test("modules that only look are asked by a plan, as long as nothing was changed before", async () => {
  const asked: string[] = [];
  const output = { good: { type: "bool", summary: "Good" } } as const;
  const seeing: Module = {
    ...look("see", { scope: "cluster", output }),
    kind: "read",
    looks: true,
    // deno-lint-ignore require-yield
    async *read() {
      asked.push("see");
      return await Promise.resolve({ good: false });
    },
  };
  const source = (before: string) => `
steps:
${before}
  - { id: see, run: see }
  - { id: sure, assert: { that: steps.see.good, message: No good } }
`;
  const plan = async (before: string) => {
    const paper = { modules: [...modules, seeing] };
    const request = await requestOf(source(before), paper);
    const sleep = () => new Promise<void>(() => {});
    return await makePlan({ ...request, clock: { ...request.clock, sleep } });
  };
  assert.deepEqual((await plan("")).refusals, [
    { path: "sure", reason: "No good" },
  ]);
  assert.equal(asked.length, 1);
  const behind = await plan("  - { id: a, run: touch, with: { node: w-4 } }");
  assert.deepEqual(behind.refusals, []);
  assert.equal(asked.length, 1);
});
