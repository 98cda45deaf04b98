import assert from "node:assert/strict";
import {
  change,
  look,
  makeTextPlan,
  previewsAt,
  stageAt,
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

/** Steps of a fan-out over the workers. */
const onWorkers = (...steps: readonly string[]) => `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: workers
    steps:
${steps.map((step) => `      - { ${step} }\n`).join("")}`;

Deno.test("facts are known until a step before may have changed them, on that node", async () => {
  const plan = await makeTextPlan(
    onWorkers(
      "id: a, when: \"node.version == 'v1.13.4'\", run: reboot",
      "id: b, when: \"node.version == 'v1.13.4'\", run: touch",
      "id: c, when: \"node.role == 'worker'\", run: touch",
    ),
    { modules },
  );
  assert.deepEqual(previewsAt(plan, "all/a"), [
    "w-4 change reboot",
    "w-5 change reboot",
  ]);
  assert.equal(stageAt(plan, "all/b").happens, "unknown");
  assert.deepEqual(previewsAt(plan, "all/c"), [
    "w-4 change touch",
    "w-5 change touch",
  ]);
  assert.deepEqual(unknownsIn(plan), [
    "all/b when: node.version == 'v1.13.4' <- all/a",
  ]);
});

Deno.test("a step that is omitted, or has nothing to do, changes no facts", async () => {
  const still = change("reboot", { effect: "disrupt", finds: () => undefined });
  const plan = await makeTextPlan(
    onWorkers(
      "id: a, when: \"node.version == 'v1.0.0'\", run: touch",
      "id: b, run: reboot",
      "id: c, when: \"node.ready && node.version == 'v1.13.4'\", run: touch",
    ),
    { modules: [touch, still] },
  );
  assert.deepEqual(previewsAt(plan, "all/a"), [
    "w-4 skip its condition is false: node.version == 'v1.0.0'",
    "w-5 skip its condition is false: node.version == 'v1.0.0'",
  ]);
  assert.deepEqual(previewsAt(plan, "all/b"), [
    "w-4 nothing it is done already",
    "w-5 nothing it is done already",
  ]);
  assert.equal(stageAt(plan, "all/c").happens, "yes");
  assert.deepEqual(unknownsIn(plan), []);
});

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

Deno.test("a group that is resolved at its step is known until facts it looks at may have changed", async () => {
  const plan = await makeTextPlan(
    `
groups:
  workers: { role: worker }
  old: { from: workers, where: "node.version == 'v1.13.4'", at: entry }
  part: { union: [old], at: entry, order: [name] }
steps:
  - { id: a, when: size(groups.old) == 2, run: touch.all }
  - { id: all, forEach: old, steps: [{ id: down, run: reboot }] }
  - { id: b, when: size(groups.old) == 2, run: touch.all }
  - { id: again, forEach: part, steps: [{ id: down, run: reboot }] }
`,
    { modules },
  );
  assert.deepEqual(
    ["a", "b"].map((path) => stageAt(plan, path).happens),
    ["yes", "unknown"],
  );
  assert.deepEqual(plan.groups.map(({ name, at }) => [name, at]), [
    ["workers", "plan"],
    ["old", "entry"],
    ["part", "entry"],
  ]);
  assert.deepEqual(unknownsIn(plan), [
    "b when: size(groups.old) == 2 <- all/down",
    "again nodes: part <- all/down",
  ]);
  assert.deepEqual(previewsAt(plan, "again/down"), [
    "w-4 change reboot",
    "w-5 change reboot",
  ]);
});

Deno.test("after a failure nothing is known of a node that can change, nor of the steps around", async () => {
  const plan = await makeTextPlan(
    `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: workers
    steps: [{ id: a, run: touch }]
    rescue:
      - { id: b, when: node.ready, run: touch }
      - { id: c, when: "node.role == 'controlplane'", run: touch }
      - { id: d, when: "error.code == 'deadline'", run: touch }
      - { id: e, when: reached('a'), run: touch }
`,
    { modules },
  );
  assert.deepEqual(
    ["b", "c", "d", "e"].map((id) => stageAt(plan, `all/${id}`).happens),
    ["unknown", "no", "unknown", "unknown"],
  );
  assert.deepEqual(unknownsIn(plan), [
    "all/b when: node.ready <- ",
    "all/d when: error.code == 'deadline' <- ",
    "all/e when: reached('a') <- a",
  ]);
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

Deno.test("a group that takes the first few depends on what puts it in order", async () => {
  const plan = await makeTextPlan(
    `
groups: { first: { role: worker, order: [zone], take: 1, at: entry } }
steps:
  - { id: a, forEach: first, steps: [{ id: t, run: touch }] }
  - { id: b, forEach: first, steps: [{ id: t, run: touch }] }
`,
    { modules },
  );
  assert.deepEqual(unknownsIn(plan), ["b nodes: first <- a/t"]);
});
