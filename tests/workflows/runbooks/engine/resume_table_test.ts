/** Effect of a resume on a step, by its last record; rows that other tests do not show. */

import assert from "node:assert/strict";
import type { NewRecord } from "../_records.ts";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

/** A node that is closed, worked on, and worked on again in vain at first. */
const runbook = `
groups: { one: { names: [demo-worker-1] } }
steps:
  - { id: skipped, when: inputs.more, run: mark }
  - { id: made, run: count }
  - id: all
    forEach: one
    steps:
      - { id: c, run: close }
      - { id: a, run: touch, with: { number: "\${{ steps.made.number }}" } }
      - { id: b, run: fickle }
  - { id: last, run: mark }
inputs: { more: { type: bool, default: false, mutable: true } }
outputs: { number: "\${{ steps.made.number }}" }
`;

function bench(tries = 1) {
  const fakes = fakeModules();
  let count = 0;
  const open = () =>
    openBench({
      modules: [
        fakes.change("mark", { scope: "cluster" }),
        fakes.change("count", {
          scope: "cluster",
          output: { number: { type: "int", summary: "Number" } },
          gives: () => ({ number: 7 }),
        }),
        fakes.change("close", { volatile: true }),
        fakes.change("touch", {
          input: { number: { type: "int", summary: "Number" } },
        }),
        fakes.change("fickle", {
          spoil: () =>
            ++count <= tries ? { outcome: "failed", reason: "no" } : undefined,
        }),
      ],
    });
  return { fakes, open };
}

const decide = (p: string, verdict: string, n?: string): NewRecord => ({
  type: "decision",
  path: p,
  ...(n === undefined ? {} : { node: n }),
  data: { verdict, reason: "I know", by: "tester" },
});

Deno.test("result ok: not done again, its outputs are there; what passes by itself is done again", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  assert.equal((await bench_.run(runbook)).verdict, "failed 1");
  const before = fakes.deeds.length;
  const ran = await bench_.resume();
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done().slice(before), [
    "close demo-worker-1",
    "fickle demo-worker-1",
    "mark",
  ]);
  assert.deepEqual(ran.end?.outputs, { number: 7 });
});

Deno.test("result skipped: stays skipped, whatever its condition would give now", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  await bench_.run(runbook);
  const before = fakes.deeds.length;
  await bench_.resume({
    decisions: [{ type: "set", path: "more", data: { value: true } }],
  });
  assert.equal(
    fakes.done().slice(before).filter((deed) => deed === "mark").length,
    1,
  );
});

Deno.test("result failed: done again, unless it is omitted", async () => {
  const { fakes, open } = bench(9);
  await using bench_ = await open();
  assert.equal((await bench_.run(runbook)).verdict, "failed 1");
  assert.equal((await bench_.resume()).verdict, "failed 1");
  const ran = await bench_.resume({
    decisions: [decide("all/b", "skip", "demo-worker-1")],
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.ok(!fakes.done().includes("fickle demo-worker-1"));
  assert.deepEqual(ran.end?.skipped, [{
    step: "all/b",
    node: "demo-worker-1",
    reason: "I know",
  }]);
});

Deno.test("node done: never entered again", async () => {
  const { fakes, open } = bench(0);
  await using bench_ = await open();
  const first = await bench_.run(runbook, {}, {
    on: ({ type }, { kill }) => {
      if (type === "node.ended") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  const before = fakes.deeds.length;
  assert.equal((await bench_.resume()).verdict, "succeeded 0");
  assert.deepEqual(fakes.done().slice(before), ["mark"]);
});

Deno.test("a step that was ended well is done again where an operator wants it", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  await bench_.run(runbook);
  const before = fakes.deeds.length;
  const ran = await bench_.resume({
    decisions: [decide("all/a", "redo", "demo-worker-1")],
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done().slice(before), [
    "close demo-worker-1",
    "touch demo-worker-1",
    "fickle demo-worker-1",
    "mark",
  ]);
});

Deno.test("no record: done", async () => {
  const { fakes, open } = bench(0);
  await using bench_ = await open();
  assert.equal(
    (await bench_.run(runbook, {}, { killAt: 1 })).verdict,
    "killed",
  );
  assert.deepEqual(fakes.done(), []);
  assert.equal((await bench_.resume()).verdict, "succeeded 0");
  assert.equal(fakes.deeds.length, 5);
});
