import assert from "node:assert/strict";
import { openBench } from "../_bench.ts";
import { type FakeChange, fakeModules } from "../_fake_modules.ts";

const no = { outcome: "failed", reason: "no" } as const;

/** Two fan-outs, and a rescue that takes back what they did, by a condition. */
function twoFanOuts(undoWhen: string, strategy = "{ maxFailures: 100% }") {
  return `
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: one
    forEach: workers
    steps: [{ id: patch, run: patch }, { id: settle, run: settle }]
  - id: two
    forEach: workers
    steps: [{ id: patch, run: patch }]
rescue:
  - id: undo
    forEach: { nodes: workers, strategy: ${strategy} }
    steps: [{ id: back, when: ${JSON.stringify(undoWhen)}, run: back }]
`;
}

function benchWith(settle: FakeChange, workers = 3) {
  const fakes = fakeModules();
  const { change } = fakes;
  const bench = openBench({
    controlPlanes: 1,
    workers,
    modules: [change("patch"), change("settle", settle), change("back")],
  });
  return { fakes, bench };
}

/** ReadyTarget fails on the second worker. */
const second: FakeChange = {
  spoil: ({ node }) => node === "demo-worker-2" ? no : undefined,
};

for (
  const when of [
    "node.name in steps.one.patch || node.name in steps.two.patch",
    "node.name in steps.two.patch || node.name in steps.one.patch",
    "reached('one') && node.name in steps.one.patch",
    "steps.one.patch.exists(n, n == node.name)",
  ]
) {
  Deno.test(`a rescue sees a fan-out that failed half way, and one that was never started: ${when}`, async () => {
    const { fakes, bench: opening } = benchWith(second);
    await using bench = await opening;
    const ran = await bench.run(twoFanOuts(when));
    assert.equal(ran.verdict, "failed 1");
    assert.deepEqual(fakes.done(), [
      "patch demo-worker-1",
      "settle demo-worker-1",
      "patch demo-worker-2",
      "back demo-worker-1",
      "back demo-worker-2",
    ]);
  });
}

Deno.test("another process that finishes the rescue sees the same", async () => {
  const { fakes, bench: opening } = benchWith(second);
  await using bench = await opening;
  const when = "node.name in steps.one.patch || node.name in steps.two.patch";
  const first = await bench.run(twoFanOuts(when), {}, {
    on: ({ type, path }, { kill }) => {
      if (type === "step.start" && path === "undo") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  assert.equal((await bench.resume()).verdict, "failed 1");
  assert.deepEqual(fakes.done().slice(3), [
    "back demo-worker-1",
    "back demo-worker-2",
  ]);
});

Deno.test("a fan-out that may fail gives what it did on all nodes, also on those that failed", async () => {
  const { fakes, bench: opening } = benchWith(second);
  await using bench = await opening;
  const ran = await bench.run(`
groups: { workers: { role: worker } }
steps:
  - id: one
    forEach: { nodes: workers, strategy: { maxFailures: 1 } }
    steps: [{ id: patch, run: patch }, { id: settle, run: settle }]
outputs:
  patched: "\${{ steps.one.patch.map(n, n) }}"
  settled: "\${{ steps.one.settle.map(n, n) }}"
`);
  assert.equal(ran.verdict, "partial 3");
  assert.deepEqual(ran.end?.outputs, {
    patched: ["demo-worker-1", "demo-worker-2", "demo-worker-3"],
    settled: ["demo-worker-1", "demo-worker-3"],
  });
  assert.equal(fakes.deeds.length, 5);
});

Deno.test("a fan-out that is skipped, in a block or not, has empty maps", async () => {
  const { fakes, bench: opening } = benchWith({});
  await using bench = await opening;
  const ran = await bench.run(`
groups: { workers: { role: worker } }
steps:
  - id: one
    when: "false"
    forEach: workers
    steps: [{ id: patch, run: patch }]
  - id: around
    onFailure: continue
    block:
      - { id: stop, assert: { that: "false" } }
      - id: two
        forEach: workers
        steps: [{ id: patch, run: patch }]
  - { id: look, assert: { that: "size(steps.one.patch) == 0 && size(steps.around.two.patch) == 0" } }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.deeds, []);
});

Deno.test("step results: results undone by a rescue are absent in always", async () => {
  const { fakes, bench: opening } = benchWith(second, 2);
  await using bench = await opening;
  const ran = await bench.run(
    `${
      twoFanOuts("node.name == 'demo-worker-1' && node.name in steps.one.patch")
    }
always:
  - id: left
    decide: { name: left, value: "\${{ steps.one.patch.map(n, n) }}" }
`,
  );
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(fakes.done().slice(3), ["back demo-worker-1"]);
  const left = ran.records.find(({ type }) => type === "decide");
  assert.deepEqual(left?.data?.value, ["demo-worker-2"]);
});

Deno.test("a condition that fails on one node fails that node, and the others continue", async () => {
  const { fakes, bench: opening } = benchWith({
    ...second,
    output: { who: { type: "string", summary: "The node" } },
    gives: ({ node }) => ({ who: node }),
  });
  await using bench = await opening;
  // Only the first worker has a result of that step.
  const ran = await bench.run(
    twoFanOuts("steps.one.settle[node.name].who == node.name"),
  );
  assert.deepEqual(fakes.done().slice(3), ["back demo-worker-1"]);
  assert.deepEqual(
    ran.end?.targets.filter(({ path }) => path === "undo").map((
      { node, state, step, code },
    ) => [node, state, step, code]),
    [
      ["demo-worker-1", "done", undefined, undefined],
      ["demo-worker-2", "failed", "undo/back", "invalid"],
      ["demo-worker-3", "failed", "undo/back", "invalid"],
    ],
  );
});
