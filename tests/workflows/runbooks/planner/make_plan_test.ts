import assert from "node:assert/strict";
import { planText } from "../../../../commands/runbook/_display/plan_view.ts";
import type { ModelCluster } from "../../../../simulator/model_cluster.ts";
import type { Plan } from "../../../../workflows/runbooks/plan.ts";
import { change, commandOf, planOf, prospectsAt, stageAt } from "./_paper.ts";
import { loaded, planned, type Planning, withCluster } from "./_planning.ts";

/** Time until all pods of a new cluster run, in milliseconds. */
const settledMs = 60_000;

const golden = new URL("./golden/", import.meta.url);

/** Plans, and makes sure that nothing was sent that could change anything. */
async function harmless(
  cluster: ModelCluster,
  source: string,
  planning: Planning = {},
): Promise<Plan> {
  const before = cluster.truth();
  const plan = await planned(cluster, await loaded(source), planning);
  const after = cluster.truth();
  const calls = after.calls.slice(before.calls.length);
  assert.ok(calls.length > 0);
  assert.deepEqual(calls.filter(({ mutating }) => mutating), []);
  assert.deepEqual(after.nodes, before.nodes);
  return plan;
}

Deno.test("the plan of a rolling upgrade says what would be done to whom, in order, and what nobody knows yet", async () => {
  await withCluster({}, async (cluster) => {
    await cluster.clock.sleep(settledMs);
    const plan = await harmless(cluster, "builtin:rolling-upgrade", {
      inputs: { version: "v1.13.6" },
    });
    const text = planText(plan)
      .replaceAll(/member [0-9a-f]{16}/g, "member 0123456789abcdef");
    const expected = await Deno.readTextFile(
      new URL("rolling-upgrade.txt", golden),
    );
    assert.equal(text, expected);
    assert.deepEqual(Object.keys(plan.facts), [
      "",
      "demo-controlplane-1",
      "demo-controlplane-2",
      "demo-controlplane-3",
      "demo-worker-1",
      "demo-worker-2",
    ]);
    assert.equal(plan.inputs.soak, "2m");
    assert.deepEqual(
      plan.groups.map(({ name, nodes, at }) => `${name} ${at} ${nodes.length}`),
      [
        "stale plan 5",
        "canary plan 1",
        "controlplane plan 3",
        "workers plan 1",
      ],
    );
  });
});

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
          / (fails|refused|refuses) /.test(line)
        ).map((line) => `${name}: ${line}`),
      );
    }
    assert.deepEqual(refusals.map((line) => line.replace(/ +/g, " ")), [
      "etcd-recovery: still-alive fails !steps.assess.quorum || inputs.evenIfQuorum",
    ]);
  });
});

Deno.test("rotating the authority of Kubernetes is planned with that of the node API", async () => {
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
    await cluster.inject({ what: "down", node: "demo-worker-2" });
    const plan = await harmless(cluster, "builtin:rolling-upgrade", {
      inputs: { version: "v1.13.6" },
    });
    const [, second = ""] = prospectsAt(plan, "prepull/pull")
      .filter((line) => line.startsWith("demo-worker"));
    assert.match(second, /^demo-worker-2 unknown not to be seen: /);
    const preflight = stageAt(plan, "preflight");
    assert.ok(
      preflight.verb === "gate" &&
        preflight.checks.some(({ state }) => state === "fails"),
    );
  });
});

Deno.test("a plan is limited to nodes like a run", async () => {
  const plan = await planOf(
    `
groups: { workers: { role: worker } }
steps: [{ id: all, forEach: workers, steps: [{ id: a, run: touch }] }]
`,
    { modules: [change("touch")], limit: ["w-5", "cp-1"] },
  );
  assert.deepEqual(prospectsAt(plan, "all/a"), ["w-5 change touch"]);
});

Deno.test("secrets stand in a plan as handles, and steps that need them say so", async () => {
  const plan = await planOf(
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
  assert.deepEqual(prospectsAt(plan, "a"), ["change touch"]);
});

Deno.test("what a module would keep or read in the vault of a run is not to be seen before", async () => {
  const found: unknown[] = [];
  const text = (name: string) => `steps: [{ id: a, run: ${name} }]\n`;
  const fake = { scope: "cluster" } as const;
  const modules = [
    // deno-lint-ignore require-yield
    commandOf("keep", async function* ({ room: { vault } }) {
      found.push(vault.names(), vault.find("key"));
      await vault.put("key", new Uint8Array());
      return {};
    }, fake),
    // deno-lint-ignore require-yield
    commandOf("read", async function* ({ room: { vault, group } }) {
      found.push(await group("self"), await group("none"));
      await vault.read({ secret: "key" });
      return {};
    }, fake),
  ];
  for (const { name } of modules) {
    // One after the other, as what is found is a list.
    assert.deepEqual(prospectsAt(await planOf(text(name), { modules }), "a"), [
      'unknown not to be seen: "key" is only there during the run',
    ]);
  }
  assert.deepEqual(found, [[], undefined, [], []]);
});

Deno.test("the plan of a recovery says of a healthy etcd that the run would be refused, and wipes nothing", async () => {
  await withCluster({}, async (cluster) => {
    const plan = await harmless(cluster, "builtin:etcd-recovery", {
      inputs: { cluster: "demo" },
    });
    const reason =
      "etcd still decides; replace single members with replace-controlplane";
    assert.deepEqual(plan.refusals, [{ path: "still-alive", reason }]);
    assert.equal(stageAt(plan, "wipe").happens, "no");
    assert.equal(stageAt(plan, "wipe").behind, "still-alive");
    assert.match(
      planText(plan),
      /\nwipe +not reached +the run ends at still-alive\n/,
    );
  });
});
