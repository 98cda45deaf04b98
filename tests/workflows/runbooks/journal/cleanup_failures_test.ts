import assert from "node:assert/strict";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

/** Work that may fail, and whose rescue fails as well. */
const brokenRescue = `
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: around
    onFailure: continue
    block:
      - id: nodes
        forEach: one
        steps: [{ id: work, run: work }]
    rescue:
      - id: undo
        forEach: one
        steps: [{ id: mend, run: break }]
  - id: after
    forEach: one
    steps: [{ id: open, run: open }]
`;

/** `work` and `break` fail on the first try on a node. */
function breaking(code: "failed" | "in-doubt" = "failed") {
  const fakes = fakeModules();
  const failing = (
    name: string,
    outcome: "failed" | "in-doubt",
    reason: string,
  ) =>
    fakes.change(name, {
      spoil: ({ nth }) => nth === 1 ? { outcome, reason } : undefined,
    });
  return openBench({
    modules: [
      failing("work", "failed", "no"),
      failing("break", code, "worse"),
      fakes.change("open"),
    ],
  });
}

Deno.test("a rescue that fails is in the report, and the run has failed although its work may", async () => {
  await using bench = await breaking();
  const ran = await bench.run(brokenRescue);
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(ran.end?.cleanup, [{
    part: "rescue",
    step: "around/undo/mend",
    code: "precondition",
    message: "demo-worker-1 failed: break: demo-worker-1: worse",
  }]);
  assert.deepEqual(ran.records.at(-1)?.d?.cleanup, ran.end?.cleanup);
  // Once it has been done, it counts no more.
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.equal(second.end?.cleanup, undefined);
});

Deno.test("a rescue whose end is in doubt blocks the run", async () => {
  await using bench = await breaking("in-doubt");
  const ran = await bench.run(brokenRescue);
  assert.equal(ran.verdict, "blocked 5");
});

Deno.test("the rescue of a node that fails keeps the run partial, and always counts as well", async () => {
  await using bench = await breaking();
  const ran = await bench.run(`
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: nodes
    forEach: { nodes: workers, strategy: { maxFailures: 100% } }
    steps: [{ id: stop, assert: { that: "node.name != 'demo-worker-1'" } }]
    rescue: [{ id: mend, run: break }]
    always: [{ id: last, run: work }]
`);
  assert.equal(ran.verdict, "partial 3");
  assert.deepEqual(
    ran.end?.cleanup?.map(({ part, step, node }) => [part, step, node]),
    [
      ["rescue", "nodes/mend", "demo-worker-1"],
      ["always", "nodes/last", "demo-worker-1"],
      ["always", "nodes/last", "demo-worker-2"],
    ],
  );
});

Deno.test("a step of a rescue that may fail is not a failure of the rescue", async () => {
  await using bench = await breaking();
  const ran = await bench.run(
    brokenRescue.replace(
      "- id: undo",
      "- id: undo\n        onFailure: continue",
    ),
  );
  assert.equal(ran.end?.cleanup, undefined);
});
