import assert from "node:assert/strict";
import { planText } from "../../../../workflows/runbooks/report/plan_view.ts";
import type { ModelCluster } from "../../../../workflows/rehearsal/model/model_cluster.ts";
import type { Plan } from "../../../../workflows/runbooks/plan/plan.ts";
import {
  change,
  look,
  makeTextPlan,
  planRequest,
  prepareInputs,
  previewsAt,
  refusal,
  stageAt,
} from "./_plan_inputs.ts";
import { load, planFor, type Planning, withCluster } from "./_planning.ts";
import type { Module } from "../../../../workflows/modules/module.ts";
import { makePlan } from "../../../../workflows/runbooks/plan/make_plan.ts";

/** Time until all pods of a new cluster run, in milliseconds. */
const settledMs = 60_000;

/** Plans, and makes sure that nothing was sent that could change anything. */
async function harmless(
  cluster: ModelCluster,
  source: string,
  planning: Planning = {},
): Promise<Plan> {
  const before = cluster.observe();
  const plan = await planFor(cluster, await load(source), planning);
  const after = cluster.observe();
  const calls = after.calls.slice(before.calls.length);
  assert.ok(calls.length > 0);
  assert.deepEqual(calls.filter(({ mutating }) => mutating), []);
  assert.deepEqual(after.nodes, before.nodes);
  return plan;
}

/** Inputs of the runbooks that come with the program. */
const shipped: Readonly<Record<string, Planning["inputs"]>> = {
  "certificate-renewal": {},
  "cluster-reboot": {},
  "config-rollout": {
    patch: new URL("golden/labels.yaml", import.meta.url).pathname,
  },
  "etcd-recovery": { cluster: "demo" },
  "replace-controlplane": { old: "demo-controlplane-2" },
  "rolling-upgrade": { version: "v1.14.0" },
  "rotate-ca": { osconfig: "/nowhere/o", secretsOut: "/nowhere/s" },
};

Deno.test("every runbook that comes with the program can be planned for a healthy cluster, and only the recovery is refused there", async () => {
  await withCluster({}, async (cluster) => {
    await cluster.clock.sleep(settledMs);
    const refusals: string[] = [];
    for (const [name, inputs = {}] of Object.entries(shipped)) {
      // One after the other, on the clock of the cluster.
      const plan = await harmless(cluster, `builtin:${name}`, { inputs });
      assert.ok(plan.stages.length > 0, name);
      const text = planText(plan);
      refusals.push(
        ...text.split("\n").filter((line) =>
          / {2}(fails|refused|refuses) /.test(line)
        ).map((line) => `${name}: ${line}`),
      );
    }
    assert.deepEqual(refusals.map((line) => line.replace(/ +/g, " ")), [
      "etcd-recovery: 3 Check that quorum is lost fails !steps.assess.quorum || inputs.evenIfQuorum",
    ]);
  });
});

Deno.test("rotating the CA of Kubernetes is planned with that of the node API", async () => {
  await withCluster({}, async (cluster) => {
    const plan = await harmless(cluster, "builtin:rotate-ca", {
      inputs: { ...shipped["rotate-ca"], kubernetes: true },
    });
    const kubernetes = stageAt(plan, "kubernetes");
    assert.equal(
      kubernetes.verb === "block" && kubernetes.runbook,
      "rotate-kubernetes-ca",
    );
    assert.ok(
      plan.unknowns.some(({ path, needs }) =>
        path.startsWith("kubernetes/") &&
        needs.includes("kubernetes/body/make")
      ),
    );
  });
});

Deno.test("the plan of an upgrade that was done says that there is nothing to do", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const plan = await harmless(cluster, "builtin:rolling-upgrade", {
      inputs: { version: "v1.13.4" },
    });
    assert.deepEqual(plan.groups.flatMap(({ nodes }) => nodes), []);
    assert.equal(stageAt(plan, "go").happens, "no");
    assert.deepEqual(plan.safety.map(({ rule }) => rule), ["S8", "S9"]);
  });
});

Deno.test("a node that does not answer is not guessed at", async () => {
  await withCluster({}, async (cluster) => {
    await cluster.inject({ what: "unavailable", node: "demo-worker-2" });
    const plan = await harmless(cluster, "builtin:rolling-upgrade", {
      inputs: { version: "v1.13.6" },
    });
    const [, second = ""] = previewsAt(plan, "prepull/pull")
      .filter((line) => line.startsWith("demo-worker"));
    assert.match(second, /^demo-worker-2 unknown cannot be determined: /);
    const preflight = stageAt(plan, "preflight");
    assert.ok(
      preflight.verb === "gate" &&
        preflight.checks.some(({ state }) => state === "fails"),
    );
  });
});

Deno.test("secrets stand in a plan as handles, and steps that need them say so", async () => {
  const plan = await makeTextPlan(
    `
inputs: { key: { type: secret, required: true } }
steps: [{ id: a, run: touch, with: { key: "\${{ inputs.key }}" } }]
`,
    {
      modules: [
        change("touch", {
          scope: "cluster",
          input: { key: { type: "secret", summary: "Key" } },
        }),
      ],
      inputs: { key: { secret: "input/key" } },
    },
  );
  assert.deepEqual(plan.inputs, { key: { secret: "input/key" } });
  assert.deepEqual(previewsAt(plan, "a"), ["change touch"]);
});

Deno.test("plan: vault contents of a run are unknown before it", async () => {
  const found: unknown[] = [];
  const text = (name: string) => `steps: [{ id: a, run: ${name} }]\n`;
  const fake = { scope: "cluster" } as const;
  const modules = [
    prepareInputs("keep", async ({ vault }) => {
      found.push(vault.names(), vault.find("key"));
      await vault.put("key", new Uint8Array());
      return { output: {} };
    }, fake),
    prepareInputs("read", async ({ vault, group }) => {
      found.push(await group("self"), await group("none"));
      await vault.read({ secret: "key" });
      return { output: {} };
    }, fake),
  ];
  for (const { name } of modules) {
    // One after the other, as what is found is a list.
    assert.deepEqual(
      previewsAt(await makeTextPlan(text(name), { modules }), "a"),
      ['unknown cannot be determined: "key" is only known during the run'],
    );
  }
  assert.deepEqual(found, [[], undefined, [], []]);
});

Deno.test("the plan of a recovery says of a healthy etcd that the run would be refused, and wipes nothing", async () => {
  await withCluster({}, async (cluster) => {
    const plan = await harmless(cluster, "builtin:etcd-recovery", {
      inputs: { cluster: "demo" },
    });
    const reason =
      "etcd still has quorum; replace single members with replace-controlplane";
    assert.deepEqual(plan.refusals, [{ path: "still-alive", reason }]);
    assert.equal(stageAt(plan, "wipe").happens, "no");
    assert.equal(stageAt(plan, "wipe").behind, "still-alive");
    assert.match(
      planText(plan),
      /\n12 Wipe etcd on the control planes +not reached +the run ends at 3 Check that quorum is lost\n/,
    );
  });
});

const modules = [
  change("touch"),
  change("no", { finds: () => refusal("not here") }),
  change("some", {
    finds: (node) => node === "w-4" ? refusal("not here") : "some",
  }),
];

async function refusals(steps: string): Promise<Plan["refusals"]> {
  const groups = "groups: { workers: { role: worker, order: [name] } }\n";
  return (await makeTextPlan(groups + steps, { modules })).refusals;
}

/** Ids of the stages that the run would not come to. */
function listUnreached({ stages, always }: Plan): readonly string[] {
  return [...stages, ...always]
    .flatMap(({ path, behind }) =>
      behind === undefined ? [] : [`${path} behind ${behind}`]
    );
}

Deno.test("an assertion that does not hold, and a step that is refused, end the run", async () => {
  const plan = await makeTextPlan(
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
  // Steps at the end find the changes of steps that always run.
  assert.deepEqual(plan.refusals, [{ path: "around/stop", reason: "No" }]);
  assert.deepEqual(listUnreached(plan), ["b behind around/stop"]);
  const [, around] = plan.stages;
  assert.ok(around?.verb === "block");
  assert.deepEqual(around.steps.map(({ happens }) => happens), ["yes", "no"]);
  assert.deepEqual(around.always.map(({ happens }) => happens), ["yes"]);
});

Deno.test("a block that may fail does not end the run", async () => {
  const plan = await makeTextPlan(
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
  assert.deepEqual(listUnreached(plan), []);
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

Deno.test("plan: shows what safety rules and preconditions would refuse", async () => {
  const reboot = change("reboot", {
    effect: "disrupt",
    quorum: "leaves-temporarily",
  });
  const request = await planRequest(
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
    const request = await planRequest(source(before), paper);
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
