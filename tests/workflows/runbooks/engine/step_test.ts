import assert from "node:assert/strict";
import type { JournalRecord } from "../../../../workflows/runbooks/journal/record.ts";
import { openBench, type Told } from "../_bench.ts";
import { type FakeModules, fakeModules } from "../_fake_modules.ts";

function modulesOf({ change }: FakeModules) {
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

function resultsOf(records: readonly JournalRecord[]): readonly string[] {
  return records.flatMap(({ t, p, d }) =>
    t === "result" ? [`${p} ${d?.state}`] : []
  );
}

Deno.test("a step whose condition does not hold is skipped, and its value is written down", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: modulesOf(fakes) });
  const ran = await bench.run(`
inputs: { wanted: { type: bool, default: false } }
steps:
  - { id: a, when: inputs.wanted, run: touch }
  - { id: b, when: "!inputs.wanted", run: touch }
`);
  assert.deepEqual(fakes.done(), ["touch"]);
  assert.deepEqual(resultsOf(ran.records), ["a skipped", "b ok"]);
  const values = ran.records.flatMap(({ t, p, d }) =>
    t === "when" ? [[p, d?.value]] : []
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
    decisions: [{ t: "set", p: "wanted", d: { value: false } }],
  });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), ["fickle"]);
});

Deno.test("a step that may fail does not end the run", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: modulesOf(fakes) });
  const ran = await bench.run(`
steps:
  - { id: a, run: fail, onFailure: continue }
  - { id: b, run: touch }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(resultsOf(ran.records), ["a failed", "b ok"]);
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
  await using bench = await openBench({ modules: modulesOf(fakes) });
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

Deno.test("what was decided is there in the next process, and not computed again", async () => {
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
    decisions: [{ t: "set", p: "number", d: { value: 2 } }],
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

Deno.test("no step is begun after a wish to stop", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: modulesOf(fakes) });
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

Deno.test("a step is told when it begins, and with its time when it ends", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: modulesOf(fakes) });
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
