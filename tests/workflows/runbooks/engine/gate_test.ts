import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { openBench } from "../_bench.ts";
import { fakeCheck, fakeModules } from "../_fake_modules.ts";

const gate = (rest: string) => `
steps:
  - { id: g, gate: [{ check: well }], ${rest} }
`;

Deno.test("a gate waits until its check holds", async () => {
  let from = Infinity;
  await using bench = await openBench({
    checks: [fakeCheck("well", ({ clock }) => clock.now() >= from)],
  });
  const began = bench.cluster.clock.now();
  from = began + 7_000;
  const ran = await bench.run(gate("within: 1m"));
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(bench.cluster.clock.now() - began, 8_000);
  const waiting = ran.events.find(({ type }) => type === "step.waiting");
  assert.equal(waiting?.data.reason, "well: well does not hold");
});

Deno.test("a gate says once what its check has to say although it holds", async () => {
  await using bench = await openBench({
    checks: [fakeCheck("well", () => ({ ok: true, seen: "", note: "Edge" }))],
  });
  const ran = await bench.run(gate("within: 1m, holdFor: 10s"));
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(
    ran.events.filter(({ type }) => type === "note")
      .map(({ data }) => data.message),
    ["Edge"],
  );
});

Deno.test("a gate that does not open in time fails with what was missing", async () => {
  await using bench = await openBench({
    checks: [fakeCheck("well", () => false)],
  });
  const ran = await bench.run(gate("within: 30s"));
  assert.equal(ran.verdict, "failed 4");
  assert.deepEqual(ran.end?.failure, {
    step: "g",
    code: "gate-timeout",
    message: "well: well does not hold (after 30s)",
  });
});

Deno.test("a gate fails at once by what waiting does not change, and nothing else is waited for", async () => {
  const reason = "a: v1.15.0 is too far ahead";
  await using bench = await openBench({
    checks: [
      fakeCheck("well", () => false),
      fakeCheck("allowed", () => ({ ok: false, reason, final: true })),
    ],
  });
  const began = bench.cluster.clock.now();
  const ran = await bench.run(`
steps: [{ id: g, gate: [{ check: well }, { check: allowed }], within: 5m }]
`);
  assert.equal(ran.verdict, "blocked 5");
  assert.deepEqual(ran.end?.failure, {
    step: "g",
    code: "refused",
    message: `allowed: ${reason}`,
  });
  assert.equal(bench.cluster.clock.now() - began, 0);
});

Deno.test("a gate fails at once when a check cannot be used as the runbook does", async () => {
  await using bench = await openBench();
  const began = bench.cluster.clock.now();
  const ran = await bench.run(`
steps:
  - id: g
    gate: [{ check: ca.allServe, with: { kind: nope, ca: "00" } }]
    within: 5m
`);
  assert.equal(ran.verdict, "blocked 5");
  assert.match(ran.end?.failure?.message ?? "", /Unknown kind of CA "nope"/);
  assert.equal(bench.cluster.clock.now() - began, 0);
});

Deno.test("a gate that waits for long looks every 10 s", async () => {
  const looks: number[] = [];
  await using bench = await openBench({
    checks: [
      fakeCheck("well", ({ clock }) => {
        looks.push(clock.now());
        return false;
      }),
    ],
  });
  const ran = await bench.run(gate("within: 15m"));
  assert.equal(ran.verdict, "failed 4");
  const pauses = looks.slice(1).map((at, n) => (at - looks[n]!) / 1_000);
  assert.deepEqual(pauses.slice(0, 16), Array(16).fill(2));
  assert.deepEqual(pauses.slice(-9, -1), Array(8).fill(10));
  assert.ok(looks.length < 150, `${looks.length}`);
});

Deno.test("all checks of a gate hold at the same time", async () => {
  let looks = 0;
  await using bench = await openBench({
    checks: [
      fakeCheck("odd", () => ++looks % 2 === 1),
      fakeCheck("even", () => looks >= 6 || looks % 2 === 0),
    ],
  });
  const ran = await bench.run(`
steps: [{ id: g, gate: [{ check: odd }, { check: even }], within: 1m }]
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(looks, 7);
});

Deno.test("gate: the required time starts again after each failed check", async () => {
  const began = { at: 0 };
  await using bench = await openBench({
    checks: [
      fakeCheck("well", ({ clock }) => clock.now() - began.at !== 20_000),
    ],
  });
  began.at = bench.cluster.clock.now();
  const ran = await bench.run(gate("within: 5m, holdFor: 30s"));
  assert.equal(ran.verdict, "succeeded 0");
  const waiting = ran.events.flatMap((event) =>
    event.type === "step.waiting" ? [event.data] : []
  );
  const watching = (second: number) => ({
    reason: "soaking for 30s; checks pass",
    until: new Date(began.at + second * 1_000).toISOString(),
  });
  assert.deepEqual(waiting, [
    watching(30),
    { reason: "well: well does not hold" },
    watching(52),
  ]);
  assert.equal(bench.cluster.clock.now() - began.at, 52_000);
});

Deno.test("gate: a condition that holds in time may complete its required time after the deadline", async () => {
  const began = { at: 0 };
  await using bench = await openBench({
    checks: [
      fakeCheck("well", ({ clock }) => clock.now() - began.at >= 20_000),
    ],
  });
  began.at = bench.cluster.clock.now();
  const ran = await bench.run(gate("within: 30s, holdFor: 1m"));
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(bench.cluster.clock.now() - began.at, 80_000);
});

Deno.test("a check that cannot look does not hold yet", async () => {
  let looks = 0;
  await using bench = await openBench({
    checks: [fakeCheck("well", () => {
      if (++looks === 1) throw new RpcError("UNAVAILABLE", "nobody is there");
      return true;
    })],
  });
  const ran = await bench.run(gate("within: 30s"));
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(looks, 2);
});

Deno.test("a check whose condition does not hold is omitted", async () => {
  await using bench = await openBench({
    checks: [fakeCheck("well", () => false)],
  });
  const ran = await bench.run(`
steps: [{ id: g, gate: [{ check: well, when: "cluster.name == 'other'" }], within: 5s }]
`);
  assert.equal(ran.verdict, "succeeded 0");
});

Deno.test("a wish to stop ends the wait of a gate", async () => {
  await using bench = await openBench({
    checks: [fakeCheck("well", () => false)],
  });
  const ran = await bench.run(gate("within: 1h"), {}, {
    on: ({ type }, { stop }) => {
      if (type === "step.waiting") stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
});

Deno.test("a gate that was passed is checked again by the next process, unless something behind it was started", async () => {
  const fakes = fakeModules();
  let looks = 0;
  let tries = 0;
  await using bench = await openBench({
    checks: [fakeCheck("well", () => (++looks, true))],
    modules: [
      fakes.change("work", {
        scope: "cluster",
        spoil: () =>
          ++tries === 1 ? { outcome: "failed", reason: "no" } : undefined,
      }),
    ],
  });
  const runbook = `
steps:
  - { id: g, gate: [{ check: well }] }
  - { id: no, assert: { that: "groups.none.size() == 0" } }
  - { id: w, run: work }
groups: { none: { names: [] } }
`.replace("groups.none.size()", "size(groups.none)");
  const first = await bench.run(runbook, {}, {
    on: ({ type, path }, { stop }) => {
      if (type === "step.done" && path === "g") stop();
    },
  });
  assert.equal(first.verdict, "stopped 75");
  assert.equal((await bench.resume()).verdict, "failed 1");
  assert.equal(looks, 2);
  // The work behind it was sent now.
  assert.equal((await bench.resume()).verdict, "succeeded 0");
  assert.equal(looks, 2);
});

Deno.test("a check of a node looks at the node that walks, and at the group it names", async () => {
  const seen: string[] = [];
  await using bench = await openBench({
    checks: [{
      ...fakeCheck("own", () => true, "node"),
      input: { group: { type: "string", summary: "Group" } },
      async run({ node, group }, { group: name }) {
        const nodes = await group(
          name === undefined ? undefined : String(name),
        );
        seen.push(`${node}: ${nodes.length}`);
        return { ok: true, seen: "" };
      },
    }],
  });
  await bench.run(`
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: workers
    steps:
      - id: g
        gate:
          - check: own
          - { check: own, with: { group: workers } }
          - { check: own, with: { group: self } }
`);
  assert.deepEqual(seen.slice(0, 3), [
    "demo-worker-1: 3",
    "demo-worker-1: 2",
    "demo-worker-1: 1",
  ]);
});

Deno.test("a gate that an operator omits is not waited for any longer", async () => {
  await using bench = await openBench({
    checks: [fakeCheck("well", () => false)],
  });
  const began = bench.cluster.clock.now();
  const ran = await bench.run(gate("within: 1h"), {}, {
    async on({ type }, { decide, wait }) {
      if (type !== "step.start") return;
      await wait(5_000);
      const d = { verdict: "skip", reason: "I have looked" };
      await decide({ type: "decision", path: "g", data: d });
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(bench.cluster.clock.now() - began, 6_000);
  assert.deepEqual(ran.end?.skipped, [{ step: "g", reason: "I have looked" }]);
});

Deno.test("gate: later steps see the state that the gate waited for", async () => {
  await using bench = await openBench({ controlPlanes: 3, workers: 0 });
  const node = "demo-controlplane-2";
  const lift = await bench.inject({ what: "etcd-stopped", node });
  const ran = await bench.run(
    `
groups:
  planes: { role: controlplane }
steps:
  - { id: preflight, gate: [{ check: etcd.quorum }, { check: etcd.memberHealthy, with: { node: ${node} } }], within: 5m }
  - { id: spare, assert: { that: "groups.planes.all(n, n.etcd.voters > 2)", message: etcd did not answer } }
`,
    {},
    {
      on: async ({ type, path }, { wait }) => {
        if (type !== "step.waiting" || path !== "preflight") return;
        await wait(5_000);
        await lift();
      },
    },
  );
  assert.equal(ran.end?.failure?.message, undefined);
  assert.equal(ran.verdict, "succeeded 0");
});
