import assert from "node:assert/strict";
import { openBench } from "../_bench.ts";
import { type FakeModules, fakeModules } from "../_fake_modules.ts";

/** `work` fails on the first tries. */
function makeModules({ change, look }: FakeModules, tries = 1) {
  return [
    change("close", { volatile: true }),
    change("work", {
      spoil: ({ nth }) =>
        nth <= tries ? { outcome: "failed", reason: "no" } : undefined,
    }),
    change("mend", { input: { code: { type: "string", summary: "Code" } } }),
    change("open"),
    look("see", { gives: () => ({}) }),
  ];
}

const oneNode = `
groups: { one: { names: [demo-worker-1] } }
`;

Deno.test("when work fails the rescue sees why, and always comes last", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(`${oneNode}
steps:
  - id: nodes
    forEach: one
    steps:
      - id: body
        block: [{ id: a, run: close }, { id: b, run: work }]
        rescue:
          - { id: mend, run: mend, with: { code: "\${{ error.step + ' ' + error.code + ' ' + error.message }}" } }
        always: [{ id: open, run: open }]
`);
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(fakes.done(), [
    "close demo-worker-1",
    "mend demo-worker-1",
    "open demo-worker-1",
  ]);
  assert.equal(
    fakes.deeds[1]?.input.code,
    "b precondition work: demo-worker-1: no",
  );
  assert.deepEqual(ran.end?.targets, [{
    node: "demo-worker-1",
    path: "nodes",
    state: "recovered",
    step: "nodes/body/b",
    code: "precondition",
    message: "work: demo-worker-1: no",
    tookMs: 3_000,
  }]);
});

Deno.test("a rescue that only looks does not recover a node", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(`${oneNode}
steps:
  - id: nodes
    forEach: one
    steps: [{ id: b, run: work }]
    rescue: [{ id: look, run: see }]
`);
  assert.equal(ran.end?.targets[0]?.state, "failed");
});

Deno.test("a rescue that fails does not recover a node, and always is done", async () => {
  const fakes = fakeModules();
  const { change } = fakes;
  await using bench = await openBench({
    modules: [
      ...makeModules(fakes),
      change("break", {
        spoil: () => ({ outcome: "failed", reason: "worse" }),
      }),
    ],
  });
  const ran = await bench.run(`${oneNode}
steps:
  - id: nodes
    forEach: one
    steps: [{ id: b, run: work }]
    rescue: [{ id: mend, run: mend }, { id: break, run: break }]
    always: [{ id: open, run: open }]
`);
  assert.equal(ran.end?.targets[0]?.state, "failed");
  assert.equal(ran.end?.targets[0]?.step, "nodes/b");
  assert.deepEqual(fakes.done(), ["mend demo-worker-1", "open demo-worker-1"]);
});

Deno.test("block: a step in doubt is not rescued", async () => {
  const fakes = fakeModules();
  const { change } = fakes;
  await using bench = await openBench({
    modules: [
      ...makeModules(fakes),
      change("doubt", {
        spoil: () => ({ outcome: "in-doubt", reason: "who knows" }),
      }),
    ],
  });
  const ran = await bench.run(`${oneNode}
steps:
  - id: nodes
    forEach: one
    steps: [{ id: b, run: doubt }]
    rescue: [{ id: mend, run: mend }]
    always: [{ id: open, run: open }]
`);
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.targets[0]?.state, "blocked");
  assert.deepEqual(fakes.done(), ["open demo-worker-1"]);
});

Deno.test("always is done when nothing failed, and its failure counts", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes) });
  const ran = await bench.run(`${oneNode}
steps:
  - id: nodes
    forEach: one
    steps: [{ id: a, run: close }]
    always: [{ id: last, run: work }]
`);
  assert.equal(ran.verdict, "failed 1");
  assert.equal(ran.end?.failure?.step, "nodes/last");
});

Deno.test("rescue and always of the whole runbook are done", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.change("a", { scope: "cluster" })],
  });
  const ran = await bench.run(`
steps: [{ id: no, assert: { that: "false" } }]
rescue: [{ id: mend, run: a }]
always: [{ id: last, run: a }]
`);
  assert.equal(ran.verdict, "blocked 5");
  assert.deepEqual(fakes.done(), ["a", "a"]);
});

const walked = `${oneNode}
steps:
  - id: nodes
    forEach: one
    steps:
      - id: body
        block: [{ id: a, run: close }, { id: b, run: work }]
        rescue: [{ id: mend, run: mend }]
        always: [{ id: open, run: open }]
`;

Deno.test("a node that was stopped inside its block is led to its end by the next process", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes, 0) });
  const first = await bench.run(walked, {}, {
    on: ({ type, path }, { stop }) => {
      if (type === "step.done" && path === "nodes/body/a") stop();
    },
  });
  assert.equal(first.verdict, "stopped 75");
  assert.deepEqual(fakes.done(), ["close demo-worker-1", "open demo-worker-1"]);
  assert.equal(first.end?.targets[0]?.state, "interrupted");
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done().slice(2), [
    "close demo-worker-1",
    "work demo-worker-1",
    "open demo-worker-1",
  ]);
});

Deno.test("a node that died inside the end of a stop is brought to that end, and then led through its block", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes, 0) });
  const first = await bench.run(walked, {}, {
    on: ({ type, path }, { stop, kill }) => {
      if (type === "step.done" && path === "nodes/body/a") stop();
      if (type === "step.start" && path === "nodes/body/open") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), [
    "close demo-worker-1",
    "open demo-worker-1",
    "close demo-worker-1",
    "work demo-worker-1",
    "open demo-worker-1",
  ]);
});

Deno.test("a run that died inside the end of a stop is brought to that end, and then resumed", async () => {
  const fakes = fakeModules();
  const { change } = fakes;
  await using bench = await openBench({
    modules: ["a", "b", "z"].map((name) => change(name, { scope: "cluster" })),
  });
  const first = await bench.run(
    `
steps: [{ id: a, run: a }, { id: b, run: b }]
always: [{ id: z, run: z }]
`,
    {},
    {
      on: ({ type, path }, { stop, kill }) => {
        if (type === "step.done" && path === "a") stop();
        if (type === "step.start" && path === "z") kill();
      },
    },
  );
  assert.equal(first.verdict, "killed");
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), ["a", "z", "b", "z"]);
});

Deno.test("block: a process that died in rescue finishes it, then always, and the node has failed", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes, 9) });
  const first = await bench.run(walked, {}, {
    on: ({ type, path }, { kill }) => {
      if (type === "step.start" && path === "nodes/body/mend") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  const second = await bench.resume();
  assert.equal(second.verdict, "failed 1");
  assert.deepEqual(fakes.done(), [
    "close demo-worker-1",
    "mend demo-worker-1",
    "open demo-worker-1",
  ]);
  assert.equal(second.end?.targets[0]?.state, "recovered");
});

Deno.test("block: a process that died in always finishes it first, and the node has failed as before", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes, 9) });
  const first = await bench.run(walked, {}, {
    on: ({ type, path }, { kill }) => {
      if (type === "step.start" && path === "nodes/body/open") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  const second = await bench.resume();
  assert.equal(second.verdict, "failed 1");
  assert.deepEqual(fakes.done(), [
    "close demo-worker-1",
    "mend demo-worker-1",
    "open demo-worker-1",
  ]);
  assert.equal(second.end?.targets[0]?.state, "recovered");
});

Deno.test("a node that has failed enters its block again, and its rescue counts again", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: makeModules(fakes, 1) });
  assert.equal((await bench.run(walked)).verdict, "failed 1");
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done().slice(3), [
    "close demo-worker-1",
    "work demo-worker-1",
    "open demo-worker-1",
  ]);
});

Deno.test("a node whose rescue has changed it begins its block again, one that was not changed where it failed", async () => {
  for (const rescue of ["mend", "see"]) {
    const fakes = fakeModules();
    await using bench = await openBench({
      modules: [...makeModules(fakes, 1), fakes.change("install")],
    });
    const first = await bench.run(`${oneNode}
steps:
  - id: nodes
    forEach: one
    steps: [{ id: i, run: install }, { id: b, run: work }]
    rescue: [{ id: r, run: ${rescue} }]
`);
    assert.equal(first.verdict, "failed 1");
    const before = fakes.deeds.length;
    assert.equal((await bench.resume()).verdict, "succeeded 0");
    assert.deepEqual(
      fakes.done().slice(before),
      rescue === "mend"
        ? ["install demo-worker-1", "work demo-worker-1"]
        : ["work demo-worker-1"],
    );
  }
});

Deno.test("a rescue that is entered again goes to all of its nodes again", async () => {
  const fakes = fakeModules();
  const broken = fakes.change("break", {
    scope: "cluster",
    spoil: () => ({ outcome: "failed", reason: "no" }),
  });
  await using bench = await openBench({
    modules: [...makeModules(fakes), broken],
  });
  const runbook = `${oneNode}
steps:
  - id: outer
    block:
      - { id: b, run: break }
    rescue:
      - { id: mended, forEach: one, steps: [{ id: m, run: mend }] }
`;
  assert.equal((await bench.run(runbook)).verdict, "failed 1");
  assert.equal((await bench.resume()).verdict, "failed 1");
  assert.deepEqual(fakes.done(), ["mend demo-worker-1", "mend demo-worker-1"]);
});

Deno.test("steps are done one after the other", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [
      fakes.change("a", { scope: "cluster" }),
      fakes.change("b", { scope: "cluster" }),
    ],
  });
  const ran = await bench.run(`
steps:
  - { id: first, run: a }
  - { id: second, run: b }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), ["a", "b"]);
});

Deno.test("steps behind one that fails are not started", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [
      fakes.change("a", {
        scope: "cluster",
        spoil: () => ({ outcome: "failed", reason: "no" }),
      }),
      fakes.change("b", { scope: "cluster" }),
    ],
  });
  const ran = await bench.run(`
steps:
  - { id: first, run: a }
  - { id: second, run: b }
`);
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(ran.end?.failure, {
    step: "first",
    code: "precondition",
    message: "a: no",
  });
  assert.deepEqual(fakes.done(), []);
});
