import assert from "node:assert/strict";
import { withInitials } from "../../../../workflows/runbooks/engine/run_values.ts";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

Deno.test("inputs that were not given have their defaults, others are absent", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.change("work", {
      scope: "cluster",
      input: {
        a: { type: "string", summary: "A" },
        b: { type: "string", summary: "B" },
      },
    })],
  });
  await bench.run(`
inputs:
  a: { type: string, default: plain }
  b: { type: string, required: false }
steps: [{ id: w, run: work, with: { a: "\${{ inputs.a }}", b: "\${{ has(inputs.b) ? inputs.b : 'none' }}" } }]
`);
  assert.deepEqual(fakes.deeds[0]?.input, { a: "plain", b: "none" });
});

Deno.test("a default does not stand against what was given", () => {
  const field = { type: "string", summary: "Text", initial: "a" } as const;
  const runbook = {
    inputs: {
      one: field,
      two: field,
      three: { type: "string", summary: "Text" } as const,
    },
  };
  assert.deepEqual(withInitials(runbook, { two: "b" }), { one: "a", two: "b" });
});

Deno.test("groups are frozen when a run begins", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: [fakes.change("touch")] });
  const ran = await bench.run(
    `
groups:
  workers: { role: worker, order: [name] }
  first: { from: workers, take: 1 }
  rest: { from: workers, except: [first] }
steps:
  - { id: wait, sleep: 1m }
  - { id: one, forEach: first, steps: [{ id: a, run: touch }] }
  - { id: two, forEach: rest, steps: [{ id: a, run: touch }] }
`,
    {},
    {
      on: async ({ type, path }, { inject }) => {
        if (type !== "step.start" || path !== "wait") return;
        await inject({ what: "joins", role: "worker" });
      },
    },
  );
  assert.deepEqual(ran.records[0]?.data?.groups, {
    "#workers": ["demo-worker-1", "demo-worker-2"],
    "#first": ["demo-worker-1"],
    "#rest": ["demo-worker-2"],
  });
  assert.deepEqual(ran.records[0]?.data?.members, [
    "demo-controlplane-1",
    "demo-worker-1",
    "demo-worker-2",
  ]);
  assert.deepEqual(fakes.done(), [
    "touch demo-worker-1",
    "touch demo-worker-2",
  ]);
});
