import assert from "node:assert/strict";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

/** Workers are patched, the second one fails to settle, and the block undoes what it changed. */
function undone(rescue: string, always = "[]"): string {
  return `
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: before
    forEach: workers
    steps: [{ id: close, run: close }]
  - id: around
    block:
      - id: one
        forEach: workers
        steps: [{ id: patch, run: patch }, { id: settle, run: settle }]
      - id: two
        forEach: workers
        steps: [{ id: patch, run: patch }]
    rescue: ${rescue}
    always: ${always}
`;
}

function patching(spoiled = "demo-worker-2") {
  const fakes = fakeModules();
  const { change } = fakes;
  const bench = openBench({
    controlPlanes: 1,
    workers: 3,
    modules: [
      change("close"),
      change("patch"),
      change("settle", {
        spoil: ({ node, nth }) =>
          node === spoiled && nth === 1
            ? { outcome: "failed", reason: "no" }
            : undefined,
      }),
      change("back"),
      change("note"),
    ],
  });
  const deeds = () =>
    fakes.done().map((deed) => deed.replace("demo-worker-", ""))
      .filter((deed) => !/^(close|patch|settle) /.test(deed));
  return { fakes, bench, deeds };
}

for (
  const [name, rescue] of [
    [
      "its group",
      "[{ id: undo, forEach: changed, steps: [{ id: back, run: back }] }]",
    ],
    [
      "its function",
      "[{ id: undo, forEach: workers, steps: [{ id: back, when: changed(node), run: back }] }]",
    ],
    [
      "the group in an expression",
      `[{ id: undo, forEach: workers, steps: [{ id: back, when: "groups.changed.exists(n, n.name == node.name)", run: back }] }]`,
    ],
    [
      "its group from a block inside of the rescue",
      "[{ id: in, block: [{ id: undo, forEach: changed, steps: [{ id: back, run: back }] }] }]",
    ],
  ] as const
) {
  Deno.test(`a rescue knows by ${name} on which nodes its block has changed something`, async () => {
    const { bench: opening, deeds } = patching();
    await using bench = await opening;
    const ran = await bench.run(undone(rescue));
    assert.equal(ran.verdict, "failed 1");
    assert.deepEqual(deeds(), ["back 1", "back 2"]);
  });
}

Deno.test("a rescue that another process finishes has the same nodes", async () => {
  const { bench: opening, deeds } = patching();
  await using bench = await opening;
  const ran = await bench.run(
    undone(
      "[{ id: undo, forEach: changed, steps: [{ id: back, run: back }] }]",
    ),
    {},
    {
      on: ({ type, path, node }, { kill }) => {
        if (
          type === "step.start" && path === "around/undo/back" &&
          node === "demo-worker-2"
        ) kill();
      },
    },
  );
  assert.equal(ran.verdict, "killed");
  assert.equal((await bench.resume()).verdict, "failed 1");
  assert.deepEqual(deeds(), ["back 1", "back 2"]);
});

Deno.test("changed group: nodes restored by a rescue leave it, and are found again for the next failure", async () => {
  const { bench: opening, deeds, fakes } = patching();
  await using bench = await opening;
  const source = undone(
    "[{ id: undo, forEach: changed, steps: [{ id: back, run: back }] }]",
    "[{ id: last, forEach: changed, steps: [{ id: note, run: note }] }]",
  );
  const first = await bench.run(source);
  assert.equal(first.verdict, "failed 1");
  // Undo steps change the node, too.
  assert.deepEqual(deeds(), ["back 1", "back 2", "note 1", "note 2"]);
  const before = fakes.deeds.length;
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(
    fakes.done().slice(before).filter((deed) => /^(back|note)/.test(deed)),
    ["note demo-worker-1", "note demo-worker-2", "note demo-worker-3"],
  );
});

Deno.test("inside of a fan-out it is the block of the node that has changed it", async () => {
  const { bench: opening, deeds } = patching("demo-worker-1");
  await using bench = await opening;
  const ran = await bench.run(`
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: before
    forEach: workers
    steps: [{ id: close, run: close }]
  - id: nodes
    forEach: { nodes: workers, strategy: { maxFailures: 100% } }
    steps:
      - { id: check, when: changed(node), run: note }
      - { id: only, when: node.name != 'demo-worker-2', run: settle }
      - { id: stop, assert: { that: node.name == 'demo-worker-3' } }
    rescue: [{ id: back, when: changed(node), run: back }]
`);
  assert.equal(ran.verdict, "partial 3");
  assert.deepEqual(deeds(), ["back 1"]);
});

Deno.test("changed group: a change to another node counts for that node", async () => {
  const { bench: opening, deeds } = patching();
  await using bench = await opening;
  await bench.run(`
steps:
  - { id: there, run: patch, with: { node: demo-worker-3 } }
  - { id: stop, assert: { that: "false" } }
rescue: [{ id: undo, forEach: changed, steps: [{ id: back, run: back }] }]
`);
  assert.deepEqual(deeds(), ["back 3"]);
});

Deno.test("other groups are made from the changed nodes, when they are resolved at entry", async () => {
  const { bench: opening, deeds } = patching();
  await using bench = await opening;
  const merged = (at: string) =>
    undone("[{ id: undo, forEach: undo, steps: [{ id: back, run: back }] }]")
      .replace(
        "groups: { ",
        `groups: { undo: { from: changed, names: [demo-worker-1, demo-worker-3]${at} }, `,
      );
  await bench.run(merged(", at: entry"));
  assert.deepEqual(deeds(), ["back 1"]);
  await assert.rejects(
    bench.run(merged("")),
    /depends on "changed".*at: entry/s,
  );
  await assert.rejects(
    bench.run(
      "groups: { changed: { role: worker } }\nsteps: [{ id: a, run: patch, with: { node: x } }]",
    ),
    /Every runbook has a group "changed"/,
  );
  await assert.rejects(
    bench.run(`
groups: { odd: { where: changed(node) } }
steps: [{ id: a, forEach: odd, steps: [{ id: b, run: patch }] }]`),
    /"changed" is only known while steps run/,
  );
});
