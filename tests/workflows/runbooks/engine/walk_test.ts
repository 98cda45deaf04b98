import assert from "node:assert/strict";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

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

Deno.test("steps behind one that fails are not begun", async () => {
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
