/** The safety rules that the arbiter of a run sees to: S1 to S5, S14, S16 and S17. */

import assert from "node:assert/strict";
import { type Bench, openBench, type Ran } from "../_bench.ts";
import { type FakeChange, fakeModules } from "../_fake_modules.ts";

/** Restarts all control planes. */
const restarts = `
groups: { planes: { role: controlplane, order: [etcdLeaderLast, name] } }
steps:
  - id: all
    forEach: planes
    steps: [{ id: a, run: restart }]
`;

/** The same, with the leadership handed over before. */
const handing = restarts.replace(
  "steps: [{ id: a",
  `steps:
      - { id: hand, when: node.etcd.leader && node.etcd.voters > 1, run: etcd.forfeitLeadership }
      - { id: a`,
).replace("run: restart }]", "run: restart }");

function open(
  fakes: ReturnType<typeof fakeModules>,
  controlPlanes: number,
  fake: FakeChange = {},
): Promise<Bench> {
  return openBench({
    controlPlanes,
    workers: 0,
    modules: [
      fakes.change("restart", {
        effect: "disrupt",
        quorum: "leaves-temporarily",
        tookMs: 5_000,
        ...fake,
      }),
      fakes.change("etcd.snapshot", { scope: "cluster" }),
    ],
  });
}

function reasons({ events }: Ran): string {
  return events.flatMap(({ type, data }) =>
    type === "step.waiting" ? [String(data.reason)] : []
  ).join("\n");
}

Deno.test("S1: a control plane is not disturbed while a voter is not healthy, and then when it is", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  const lift = await bench.inject({
    what: "etcd-stopped",
    node: "demo-controlplane-3",
  });
  const ran = await bench.run(handing, {}, {
    on: async ({ type }, { wait }) => {
      if (type !== "group.resolved") return;
      await wait(20_000);
      await lift();
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.match(reasons(ran), /unavailable: demo-controlplane-3/);
  assert.equal(fakes.deeds.length, 3);
});

Deno.test("S1: a voter that stays unhealthy is a risk for the quorum", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  await bench.inject({ what: "etcd-stopped", node: "demo-controlplane-3" });
  const ran = await bench.run(handing);
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "quorum-risk");
  assert.deepEqual(fakes.done(), []);
});

for (
  const fault of [
    { what: "etcd-nospace", node: "demo-controlplane-2" },
    { what: "etcd-learner", node: "demo-controlplane-2" },
    { what: "unavailable", node: "demo-controlplane-2" },
  ] as const
) {
  Deno.test(`S1: nothing is disturbed with this in etcd: ${fault.what}`, async () => {
    const fakes = fakeModules();
    await using bench = await open(fakes, 3);
    await bench.inject(fault);
    const ran = await bench.run(handing, {}, {
      limit: ["demo-controlplane-1"],
    });
    assert.equal(ran.verdict, "blocked 5");
    assert.equal(ran.end?.failure?.code, "quorum-risk");
    assert.deepEqual(fakes.done(), []);
  });
}

Deno.test("S2: control planes are disturbed one at a time, whatever a runbook computes", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  const ran = await bench.run(
    handing.replace(
      "forEach: planes",
      "forEach: { nodes: planes, strategy: { batch: '${{ inputs.n }}', maxUnavailable: '${{ inputs.n }}' } }",
    ).replace(
      "groups:",
      "inputs: { n: { type: countOrPercent, default: 3 } }\ngroups:",
    ),
  );
  assert.equal(ran.verdict, "succeeded 0");
  const [first, second, third] = fakes.deeds.map(({ at }) => at);
  assert.ok(second! - first! >= 5_000 && third! - second! >= 5_000);
});

Deno.test("S3: the only control plane is not disturbed", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 1);
  const ran = await bench.run(restarts);
  assert.equal(ran.verdict, "blocked 5");
  assert.match(ran.end?.failure?.message ?? "", /\(S3; --allow/);
});

const allowed = `policy: { allow: [{ rule: single-member-downtime }] }`;

Deno.test("S3: overridden, a snapshot of this run is needed anyway", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 1);
  const ran = await bench.run(`${allowed}${restarts}`, {}, { answers: true });
  assert.equal(ran.verdict, "blocked 5");
  assert.match(ran.end?.failure?.message ?? "", /no snapshot \(S3\)/);
  const again = await bench.run(
    `${allowed}${restarts}`.replace(
      "steps:\n  - id: all",
      "steps:\n  - { id: s, run: etcd.snapshot }\n  - id: all",
    ),
    {},
    { answers: true },
  );
  assert.equal(again.verdict, "succeeded 0");
});

Deno.test("S4: of two control planes neither is disturbed", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 2);
  const ran = await bench.run(handing);
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "quorum-risk");
  assert.match(ran.end?.failure?.message ?? "", /\(S4; --allow etcd-quorum\)/);
});

function findLeader({ cluster }: Bench): string {
  return cluster.observe().nodes.find(({ etcd }) => etcd.isLeader)?.name ?? "";
}

Deno.test("S5: the leader of etcd comes last, and hands over before", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  const leader = findLeader(bench);
  const ran = await bench.run(handing);
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(fakes.done().at(-1), `restart ${leader}`);
  assert.notEqual(findLeader(bench), leader);
});

Deno.test("S5: a leader that does not hand over is not disturbed", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  const leader = findLeader(bench);
  const ran = await bench.run(restarts);
  assert.equal(ran.verdict, "blocked 5");
  assert.match(ran.end?.failure?.message ?? "", /is the etcd leader/);
  assert.equal(fakes.deeds.length, 2);
  assert.ok(!fakes.done().includes(`restart ${leader}`));
});

Deno.test("S5: a leader that loses the lead by itself is waited for", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  const leader = findLeader(bench);
  const other = leader.endsWith("1")
    ? "demo-controlplane-2"
    : "demo-controlplane-1";
  const ran = await bench.run(restarts, {}, {
    on: async ({ type, node }, { inject, wait }) => {
      if (type !== "node.entered" || node !== leader) return;
      await wait(10_000);
      await inject({ what: "etcd-leads", node: other });
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.match(reasons(ran), /is the etcd leader/);
});

const wipes = `
groups: { one: { names: [demo-controlplane-1] } }
steps:
  - { id: go, when: inputs.ask, approve: { tag: wipe, destructive: true, message: "Lose it?" } }
  - { id: copy, when: inputs.copy, run: etcd.snapshot }
  - { id: wait, sleep: "\${{ inputs.wait }}" }
  - { id: all, forEach: one, steps: [{ id: a, run: restart }] }
inputs:
  ask: { type: bool, default: true }
  copy: { type: bool, default: true }
  wait: { type: duration, default: 1s }
`;

Deno.test("S14: data is lost only with an approval within the last hour and a copy of it", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3, {
    effect: "destroy",
    quorum: "none",
  });
  const verdict = async (inputs: Record<string, boolean | string>) => {
    const ran = await bench.run(wipes, inputs, { answers: true });
    return `${ran.verdict} ${ran.end?.failure?.message ?? ""}`;
  };
  assert.match(
    await verdict({ ask: false }),
    /^blocked 5 .*no destructive approval/,
  );
  assert.match(await verdict({ copy: false }), /^blocked 5 .*no verified copy/);
  assert.match(
    await verdict({ wait: "61m" }),
    /^blocked 5 .*no destructive approval/,
  );
  assert.equal(
    fakes.done().filter((one) => one.startsWith("restart")).length,
    0,
  );
  assert.equal(await verdict({ wait: "59m" }), "succeeded 0 ");
});

Deno.test("S16: nothing is disturbed once a stop is pending", async () => {
  const fakes = fakeModules();
  await using bench = await open(fakes, 3);
  await bench.inject({ what: "etcd-stopped", node: "demo-controlplane-3" });
  const ran = await bench.run(handing, {}, {
    on: ({ type, data }, { stop }) => {
      if (type === "step.waiting" && data.reason !== "") stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
  assert.deepEqual(fakes.done(), []);
});

Deno.test("S17: a node whose reset has no end on record is not restarted", async () => {
  const fakes = fakeModules();
  const { change } = fakes;
  await using bench = await openBench({
    modules: [
      change("reset", { tookMs: 60_000 }),
      change("restart", { effect: "disrupt" }),
    ],
  });
  const ran = await bench.run(`
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: all
    forEach: one
    steps:
      - { id: wipe, run: reset, timeout: 5s, onFailure: continue }
      - { id: back, run: restart, timeout: 1m }
`);
  assert.equal(ran.verdict, "blocked 5");
  assert.match(ran.end?.failure?.message ?? "", /partly wiped \(S17\)/);
  assert.deepEqual(fakes.done(), []);
});
