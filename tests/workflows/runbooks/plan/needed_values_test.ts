import assert from "node:assert/strict";
import {
  change,
  look,
  makeTextPlan,
  previewsAt,
  unknownsIn,
} from "./_plan_inputs.ts";

const touch = change("touch", { input: { x: { type: "any", summary: "X" } } });
const cluster = change("touch.all", {
  scope: "cluster",
  input: { x: { type: "any", summary: "X" } },
});
const reboot = change("reboot", { effect: "disrupt" });
const made = look("make", {
  scope: "cluster",
  output: { x: { type: "string", summary: "X" } },
});
const modules = [touch, cluster, reboot, made];

Deno.test("outputs of steps, decisions, and nodes given away as a whole are needed like names", async () => {
  const plan = await makeTextPlan(
    `
groups: { workers: { role: worker } }
steps:
  - { id: make, run: make }
  - { id: pick, decide: { name: one, value: "\${{ steps.make.x }}" } }
  - { id: known, decide: { name: two, value: "\${{ groups.workers[0].name }}" } }
  - { id: a, run: touch.all, with: { x: "\${{ decisions.one }}" } }
  - { id: b, run: touch.all, with: { x: "\${{ decisions.two }}" } }
  - id: all
    forEach: workers
    steps:
      - { id: down, run: reboot }
      - { id: c, run: touch, with: { x: "\${{ node }}" } }
      - { id: d, run: touch, with: { x: "\${{ targetImage(node, 'keep', 'v1.13.6') }}" } }
  - { id: e, run: touch.all, with: { x: "\${{ groups.workers.map(n, n.version) }}" } }
  - { id: f, run: touch.all, with: { x: "\${{ groups.workers.map(n, n.name) }}" } }
  - { id: g, run: touch.all, with: { x: "\${{ cluster.versions }}" } }
  - { id: h, run: touch.all, with: { x: "\${{ steps.all.down }}" } }
  - { id: i, run: touch.all, with: { x: "\${{ groups.workers[0].version }}" } }
`,
    { modules },
  );
  assert.deepEqual(unknownsIn(plan), [
    "pick value: steps.make.x <- make",
    "a with.x: decisions.one <- make",
    "all/c with.x: node <- a, b, all/down",
    "all/d with.x: targetImage(node, 'keep', 'v1.13.6') <- all/down, a, b, all/c",
    "e with.x: groups.workers.map(n, n.version) <- all/down",
    "g with.x: cluster.versions <- all/down",
    "h with.x: steps.all.down <- all/down, all/c, all/d",
    "i with.x: groups.workers[0].version <- all/down",
  ]);
  assert.deepEqual(previewsAt(plan, "b"), ["change touch.all"]);
  assert.deepEqual(previewsAt(plan, "f"), ["change touch.all"]);
});

Deno.test("needed values: a computed key may name any of them", async () => {
  const plan = await makeTextPlan(
    `
inputs: { which: { type: string, default: make } }
steps:
  - { id: make, run: make }
  - { id: a, run: touch.all, with: { x: "\${{ steps[inputs.which] }}" } }
`,
    { modules },
  );
  assert.deepEqual(unknownsIn(plan), ["a with.x: steps[inputs.which] <- "]);
});
