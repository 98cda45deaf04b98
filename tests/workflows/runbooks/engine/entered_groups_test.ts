import assert from "node:assert/strict";
import { openBench } from "../_bench.ts";
import { fakeCheck, fakeModules } from "../_fake_modules.ts";

const groups = `
groups:
  workers: { role: worker, order: [name] }
  alive: { from: workers, where: node.reachable, at: entry }
  missing: { from: workers, where: "!node.reachable", at: entry }
`;

Deno.test("a group that is resolved at entry is resolved anew for each step that names it", async () => {
  const fakes = fakeModules();
  const seen: (readonly string[])[] = [];
  await using bench = await openBench({
    modules: [fakes.change("touch")],
    checks: [{
      ...fakeCheck("who", () => true),
      input: { group: { type: "string", summary: "Group" } },
      async look({ group }, { group: name }) {
        seen.push(await group(String(name)));
        return { ok: true, seen: "" };
      },
    }],
  });
  const ran = await bench.run(
    `${groups}
steps:
  - { id: first, decide: { name: before, value: "\${{ size(groups.alive) }}" } }
  - { id: wait, sleep: 1m }
  - { id: second, decide: { name: after, value: "\${{ size(groups.alive) }}" } }
  - { id: see, gate: [{ check: who, with: { group: missing } }] }
  - { id: all, forEach: alive, steps: [{ id: a, run: touch }] }
outputs: { before: "\${{ decisions.before }}", after: "\${{ decisions.after }}" }
`,
    {},
    {
      on: async ({ type, path }, { inject }) => {
        if (type !== "step.start" || path !== "wait") return;
        await inject({ what: "down", node: "demo-worker-1" });
      },
    },
  );
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, { before: 2, after: 1 });
  assert.deepEqual(seen, [["demo-worker-1"]]);
  assert.deepEqual(fakes.done(), ["touch demo-worker-2"]);
  const written = ran.records.flatMap(({ t, p, d }) =>
    t === "group" ? [[p, d?.nodes]] : []
  );
  assert.deepEqual(written, [
    ["first#alive", ["demo-worker-1", "demo-worker-2"]],
    ["second#alive", ["demo-worker-2"]],
    ["see#missing", ["demo-worker-1"]],
    ["all", ["demo-worker-2"]],
  ]);
});

Deno.test("nodes of a fan-out that was begun stay the same in the next process", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: [fakes.change("touch")] });
  const first = await bench.run(
    `${groups}
steps: [{ id: all, forEach: alive, steps: [{ id: a, run: touch }] }]
`,
    {},
    {
      on: ({ type, node }, { kill }) => {
        if (type === "node.ended" && node === "demo-worker-1") kill();
      },
    },
  );
  assert.equal(first.verdict, "killed");
  await bench.inject({ what: "down", node: "demo-worker-1" });
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(
    second.end?.targets.map(({ node, state }) => [node, state]),
    [
      ["demo-worker-1", "done"],
      ["demo-worker-2", "done"],
    ],
  );
});

Deno.test("groups that are made from others follow them", async () => {
  await using bench = await openBench();
  const ran = await bench.run(
    `${groups}  first: { from: alive, take: 1, at: entry }
steps:
  - { id: wait, sleep: 1m }
  - { id: pick, decide: { name: one, value: "\${{ groups.first[0].name }}" } }
outputs: { one: "\${{ decisions.one }}" }
`,
    {},
    {
      on: async ({ type, path }, { inject }) => {
        if (type !== "step.start" || path !== "wait") return;
        await inject({ what: "down", node: "demo-worker-1" });
      },
    },
  );
  assert.deepEqual(ran.end?.outputs, { one: "demo-worker-2" });
});
