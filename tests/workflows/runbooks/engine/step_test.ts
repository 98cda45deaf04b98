import assert from "node:assert/strict";
import type { JournalRecord } from "../_records.ts";
import { openBench, type Told } from "../_bench.ts";
import { fakeCheck, type FakeModules, fakeModules } from "../_fake_modules.ts";
import type { ApprovalRequest } from "../../../../workflows/runbooks/engine/engine_options.ts";

function makeModules({ change }: FakeModules) {
  return [
    change("touch", { scope: "cluster" }),
    change("count", {
      scope: "cluster",
      output: { number: { type: "int", summary: "Number" } },
      gives: () => ({ number: 7 }),
    }),
    change("fail", {
      scope: "cluster",
      spoil: () => ({ outcome: "failed", reason: "it is broken" }),
    }),
  ];
}

function kinds(events: readonly Told[]): readonly string[] {
  return events.map(({ type, path }) => `${type} ${path}`.trim());
}

function listResults(records: readonly JournalRecord[]): readonly string[] {
  return records.flatMap(({ type, path, data }) =>
    type === "result" ? [`${path} ${data?.state}`] : []
  );
}

Deno.test("a step whose condition does not hold is skipped, and its value is written down", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(`
inputs: { wanted: { type: bool, default: false } }
steps:
  - { id: a, when: inputs.wanted, run: touch }
  - { id: b, when: "!inputs.wanted", run: touch }
`);
  assert.deepEqual(fakes.done(), ["touch"]);
  assert.deepEqual(listResults(ran.records), ["a skipped", "b ok"]);
  const values = ran.records.flatMap(({ type, path, data }) =>
    type === "when" ? [[path, data?.value]] : []
  );
  assert.deepEqual(values, [["a", false], ["b", true]]);
  assert.ok(kinds(ran.events).includes("step.skipped a"));
});

Deno.test("the value of a condition is not computed again on resume", async () => {
  const fakes = fakeModules();
  let tries = 0;
  const { change } = fakes;
  const fickle = change("fickle", {
    scope: "cluster",
    spoil: () =>
      ++tries === 1 ? { outcome: "failed", reason: "not yet" } : undefined,
  });
  await using bench = await openBench({ modules: [fickle] });
  const runbook = `
inputs: { wanted: { type: bool, default: true, mutable: true } }
steps:
  - { id: a, when: inputs.wanted, run: fickle }
`;
  const first = await bench.run(runbook, { wanted: true });
  assert.equal(first.verdict, "failed 1");
  const second = await bench.resume({
    decisions: [{ type: "set", path: "wanted", data: { value: false } }],
  });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), ["fickle"]);
});

Deno.test("a step that may fail does not end the run", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(`
steps:
  - { id: a, run: fail, onFailure: continue }
  - { id: b, run: touch }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(listResults(ran.records), ["a failed", "b ok"]);
  const failed = ran.events.find(({ type }) => type === "step.failed");
  assert.equal(failed?.data.continues, true);
});

Deno.test("an assertion that does not hold blocks the run with its message", async () => {
  await using bench = await openBench();
  const ran = await bench.run(
    `
inputs: { name: { type: string, required: true } }
steps:
  - id: right
    assert: { that: inputs.name == cluster.name, message: "this is \${{ cluster.name }}" }
`,
    { name: "other" },
  );
  assert.equal(ran.verdict, "blocked 5");
  assert.deepEqual(ran.end?.failure, {
    step: "right",
    code: "refused",
    message: "this is demo",
  });
});

Deno.test("a step sees what earlier ones gave and what was decided", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(`
vars: { base: 3, next: "\${{ vars.base + 1 }}" }
steps:
  - { id: a, run: count }
  - { id: b, decide: { name: sum, value: "\${{ steps.a.number + vars.next }}" } }
outputs: { sum: "\${{ decisions.sum }}" }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, { sum: 11 });
});

Deno.test("decide: a decided value survives a restart and is not computed again", async () => {
  const fakes = fakeModules();
  let tries = 0;
  const { change } = fakes;
  const fickle = change("fickle", {
    scope: "cluster",
    input: { number: { type: "int", summary: "Number" } },
    spoil: () =>
      ++tries === 1 ? { outcome: "failed", reason: "not yet" } : undefined,
  });
  await using bench = await openBench({ modules: [fickle] });
  const first = await bench.run(
    `
inputs: { number: { type: int, default: 1, mutable: true } }
steps:
  - { id: a, decide: { name: one, value: "\${{ inputs.number }}" } }
  - { id: b, run: fickle, with: { number: "\${{ decisions.one }}" } }
`,
    { number: 1 },
  );
  assert.equal(first.verdict, "failed 1");
  const second = await bench.resume({
    decisions: [{ type: "set", path: "number", data: { value: 2 } }],
  });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.deeds.map(({ input }) => input.number), [1]);
});

Deno.test("a sleep lasts as long as it says, also over a resume", async () => {
  await using bench = await openBench();
  const began = bench.cluster.clock.now();
  const first = await bench.run("steps: [{ id: a, sleep: 10m }]", {}, {
    on: async ({ type }, { wait, kill }) => {
      if (type !== "step.start") return;
      await wait(240_000);
      kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await bench.pass(60_000);
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  const took = Math.round((bench.cluster.clock.now() - began) / 1_000);
  assert.ok(took >= 600 && took <= 605, `${took} s`);
  const [before, after] = [first, second].map(({ events }) =>
    events.find(({ type }) => type === "step.waiting")?.data
  );
  assert.equal(before?.reason, "sleeping for 10m0s");
  assert.equal(after?.until, before?.until);
});

Deno.test("a wish to stop ends a sleep", async () => {
  await using bench = await openBench();
  const ran = await bench.run("steps: [{ id: a, sleep: 10m }]", {}, {
    on: async ({ type }, { wait, stop }) => {
      if (type !== "step.start") return;
      await wait(5_000);
      stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
  assert.equal(ran.end?.failure?.message, "stopped in a");
});

Deno.test("no step is started after a wish to stop", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(
    "steps: [{ id: a, run: touch }, { id: b, run: touch }]",
    {},
    {
      on: ({ type, path }, { stop }) => {
        if (type === "step.done" && path === "a") stop();
      },
    },
  );
  assert.equal(ran.verdict, "stopped 75");
  assert.equal(ran.end?.failure?.message, "stopped before b");
  assert.deepEqual(fakes.done(), ["touch"]);
});

Deno.test("a step is reported when it begins, and with its time when it ends", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run("steps: [{ id: a, run: touch }]");
  const done = ran.events.find(({ type }) => type === "step.done");
  assert.deepEqual(done?.data, { tookMs: 1_000 });
  assert.deepEqual(kinds(ran.events), [
    "run.started",
    "step.start a",
    "step.progress a",
    "step.progress a",
    "step.done a",
    "run.ended",
  ]);
});

Deno.test("an approval hands over what is to be typed, as it is computed", async () => {
  await using bench = await openBench();
  const requests: ApprovalRequest[] = [];
  const ran = await bench.run(
    `
steps:
  - id: go
    approve:
      tag: wipe
      destructive: true
      typed: "\${{ cluster.name }}"
      message: "Lose \${{ string(size(groups.all)) }} nodes?"
groups: { all: {} }
`,
    {},
    {
      answers: (request) => {
        requests.push(request);
        return Promise.resolve({ approved: true, by: "ann", how: "flag" });
      },
    },
  );
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(requests, [{
    tag: "wipe",
    path: "go",
    message: "Lose 3 nodes?",
    destructive: true,
    typed: "demo",
  }]);
  const question = ran.records.find(({ type }) =>
    type === "approval.requested"
  );
  assert.deepEqual(question?.data, {
    tag: "wipe",
    message: "Lose 3 nodes?",
    destructive: true,
    lastsMs: 3_600_000,
    typed: "demo",
  });
});

Deno.test("an approval whose condition does not hold is not asked for", async () => {
  await using bench = await openBench();
  const ran = await bench.run(`
groups: { none: { names: [] } }
steps: [{ id: go, when: size(groups.none) > 0, approve: { tag: start, message: Begin? } }]
`);
  assert.equal(ran.verdict, "succeeded 0");
});

const groups = `
groups:
  workers: { role: worker, order: [name] }
  alive: { from: workers, where: node.reachable, at: entry }
  missing: { from: workers, where: "!node.reachable", at: entry }
`;

Deno.test("a group that is resolved at entry is resolved again for each step that names it", async () => {
  const fakes = fakeModules();
  const seen: (readonly string[])[] = [];
  await using bench = await openBench({
    modules: [fakes.change("touch")],
    checks: [{
      ...fakeCheck("who", () => true),
      input: { group: { type: "string", summary: "Group" } },
      async run({ group }, { group: name }) {
        seen.push(await group(String(name)));
        return { ok: true, seen: "" };
      },
    }],
  });
  const ran = await bench.run(
    `${groups}
steps:
  - { id: first, decide: { name: before, value: "\${{ size(groups.alive) }}" } }
  - { id: wait, sleep: 1m }
  - { id: second, decide: { name: after, value: "\${{ size(groups.alive) }}" } }
  - { id: see, gate: [{ check: who, with: { group: missing } }] }
  - { id: all, forEach: alive, steps: [{ id: a, run: touch }] }
outputs: { before: "\${{ decisions.before }}", after: "\${{ decisions.after }}" }
`,
    {},
    {
      on: async ({ type, path }, { inject }) => {
        if (type !== "step.start" || path !== "wait") return;
        await inject({ what: "unavailable", node: "demo-worker-1" });
      },
    },
  );
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, { before: 2, after: 1 });
  assert.deepEqual(seen, [["demo-worker-1"]]);
  assert.deepEqual(fakes.done(), ["touch demo-worker-2"]);
  const written = ran.records.flatMap(({ type, path, data }) =>
    type === "group" ? [[path, data?.nodes]] : []
  );
  assert.deepEqual(written, [
    ["first#alive", ["demo-worker-1", "demo-worker-2"]],
    ["second#alive", ["demo-worker-2"]],
    ["see#missing", ["demo-worker-1"]],
    ["all", ["demo-worker-2"]],
  ]);
});

Deno.test("nodes of a fan-out that was started stay the same in the next process", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: [fakes.change("touch")] });
  const first = await bench.run(
    `${groups}
steps: [{ id: all, forEach: alive, steps: [{ id: a, run: touch }] }]
`,
    {},
    {
      on: ({ type, node }, { kill }) => {
        if (type === "node.ended" && node === "demo-worker-1") kill();
      },
    },
  );
  assert.equal(first.verdict, "killed");
  await bench.inject({ what: "unavailable", node: "demo-worker-1" });
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(
    second.end?.targets.map(({ node, state }) => [node, state]),
    [["demo-worker-1", "done"], ["demo-worker-2", "done"]],
  );
});

Deno.test("groups that are made from others follow them", async () => {
  await using bench = await openBench();
  const ran = await bench.run(
    `${groups}  first: { from: alive, take: 1, at: entry }
steps:
  - { id: wait, sleep: 1m }
  - { id: pick, decide: { name: one, value: "\${{ groups.first[0].name }}" } }
outputs: { one: "\${{ decisions.one }}" }
`,
    {},
    {
      on: async ({ type, path }, { inject }) => {
        if (type !== "step.start" || path !== "wait") return;
        await inject({ what: "unavailable", node: "demo-worker-1" });
      },
    },
  );
  assert.deepEqual(ran.end?.outputs, { one: "demo-worker-2" });
});
