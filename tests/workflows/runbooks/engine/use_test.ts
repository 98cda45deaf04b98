import assert from "node:assert/strict";
import { type Bench, openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

const inner = `
apiVersion: osctl/v1
kind: Runbook
name: inner
title: For tests
inputs:
  size: { type: int, required: true }
  word: { type: string, default: plain }
vars: { twice: "\${{ inputs.size * 2 }}" }
groups: { workers: { role: worker, where: "node.version == 'v1.13.4'" } }
steps:
  - id: all
    forEach: workers
    steps:
      - { id: a, run: touch, with: { size: "\${{ vars.twice }}", word: "\${{ inputs.word }}" } }
  - { id: made, run: count }
outputs:
  number: "\${{ steps.made.number }}"
  done: "\${{ result.done.map(n, n.name) }}"
`;

const outer = `
inputs: { size: { type: int, default: 21 } }
steps:
  - { id: part, use: ./inner.runbook.yaml, pass: same-named }
  - { id: last, run: last }
outputs: { number: "\${{ steps.part.number }}" }
`;

function benchWith(tries = 0): {
  readonly fakes: ReturnType<typeof fakeModules>;
  readonly open: () => Promise<Bench>;
} {
  const fakes = fakeModules();
  let count = 0;
  const modules = [
    fakes.change("touch", {
      input: {
        size: { type: "int", summary: "Size" },
        word: { type: "string", summary: "Word" },
      },
    }),
    fakes.change("count", {
      scope: "cluster",
      output: { number: { type: "int", summary: "Number" } },
      gives: () => ({ number: 7 }),
    }),
    fakes.change("last", {
      scope: "cluster",
      spoil: () =>
        ++count <= tries ? { outcome: "failed", reason: "no" } : undefined,
    }),
  ];
  const files = { "./inner.runbook.yaml": inner, "inner.runbook.yaml": inner };
  return { fakes, open: () => openBench({ modules, files }) };
}

Deno.test("a runbook that is used has inputs, constants, groups and outputs of its own", async () => {
  const { fakes, open } = benchWith();
  await using bench = await open();
  const ran = await bench.run(outer);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, { number: 7 });
  assert.deepEqual(fakes.done(), [
    "touch demo-worker-1",
    "touch demo-worker-2",
    "count",
    "last",
  ]);
  assert.deepEqual(fakes.deeds[0]?.input, { size: 42, word: "plain" });
  assert.deepEqual(ran.end?.targets.map(({ path }) => path), [
    "part/all",
    "part/all",
  ]);
});

Deno.test("the result in the outputs of a runbook that is used has the nodes of its own fan-outs", async () => {
  const { open } = benchWith();
  await using bench = await open();
  const ran = await bench.run(`
inputs: { size: { type: int, default: 21 } }
groups: { planes: { role: controlplane } }
steps:
  - { id: before, forEach: planes, steps: [{ id: a, run: touch }] }
  - { id: part, use: ./inner.runbook.yaml, pass: same-named }
outputs: { done: "\${{ steps.part.done }}" }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, {
    done: ["demo-worker-1", "demo-worker-2"],
  });
});

Deno.test("use: outputs of a used runbook are kept", async () => {
  const { fakes, open } = benchWith(1);
  await using bench = await open();
  assert.equal((await bench.run(outer)).verdict, "failed 1");
  const ran = await bench.resume();
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, { number: 7 });
  assert.deepEqual(fakes.done().slice(3), ["last"]);
  assert.equal(ran.end?.targets.length, 2);
});

Deno.test("groups of a runbook that is used stay as they were when it began", async () => {
  const { fakes, open } = benchWith();
  await using bench = await open();
  const first = await bench.run(outer, {}, {
    on: ({ type, node }, { kill }) => {
      if (type === "node.ended" && node === "demo-worker-1") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await bench.inject({ what: "joins", role: "worker" });
  const ran = await bench.resume();
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), [
    "touch demo-worker-1",
    "touch demo-worker-2",
    "count",
    "last",
  ]);
});

Deno.test("a runbook that fails fails the step that uses it, with the path of the step inside", async () => {
  const { open } = benchWith();
  await using bench = await open();
  const ran = await bench.run(outer.replace("default: 21", "default: 0"), {}, {
    limit: [],
  });
  assert.equal(ran.verdict, "succeeded 0");
  const failing = `
steps: [{ id: part, use: ./inner.runbook.yaml, with: { size: "\${{ 1 / size(groups.none) }}" } }]
groups: { none: { names: [] } }
`;
  const failed = await bench.run(failing);
  assert.equal(failed.verdict, "failed 2");
  assert.equal(failed.end?.failure?.step, "part");
});
