import assert from "node:assert/strict";
import {
  changedSince,
  readPlan,
  refuseUnlike,
} from "../../../../workflows/runbooks/plan/reviewed_plan.ts";
import { makePlan } from "../../../../workflows/runbooks/plan/make_plan.ts";
import {
  change,
  node,
  type Paper,
  planRequest,
  toFacts,
  usual,
} from "./_plan_inputs.ts";
import { withFolder } from "../../../_folder.ts";
import { fullPlan } from "./page/_plans.ts";

const manyText = `
groups: { all: { order: [name] } }
steps: [{ id: s, sleep: 1s }]
`;
const many = Array.from({ length: 10 }, (_, n) => node(`w-${n}`));

Deno.test("a run that is as it was planned is not refused", async () => {
  const request = await planRequest(manyText, { nodes: many });
  await refuseUnlike(await makePlan(request), {
    ...request,
    now: request.clock.now,
  });
});

Deno.test("a run that is not is refused with the first few reasons", async () => {
  const plan = await makePlan(await planRequest(manyText, { nodes: many }));
  const later = await planRequest(manyText, {
    nodes: many.map((one) => ({ ...one, version: "v1.13.5" })),
  });
  const changed = (n: number) => `w-${n} has changed`;
  await assert.rejects(
    refuseUnlike(plan, { ...later, now: later.clock.now }),
    {
      name: "RefusedError",
      message: `Cannot run "a" with the plan of 2026-11-20T12:00:00.000Z: ${
        [0, 1, 2, 3, 4, 5, 6, 7].map(changed).join("; ")
      }; and 2 more`,
      hint: "Make a new plan with osctl runbook plan, and have it reviewed",
    },
  );
});

const text = `
inputs:
  version: { type: semver, required: true }
  soak: { type: duration, default: 1m }
  key: { type: secret }
groups:
  stale: { where: "needsUpgrade(node, inputs.version, 'keep')" }
  ready: { from: stale, where: node.ready, at: entry }
steps: [{ id: all, forEach: stale, steps: [{ id: a, run: touch }] }]
`;
const modules = [change("touch")];
const inputs = { version: "v1.13.6", key: { secret: "input/key" } };

async function changes(
  then: Paper,
  later: Paper,
  other = text,
): Promise<readonly string[]> {
  const first = await planRequest(text, { modules, inputs, ...then });
  const second = await planRequest(other, { modules, inputs, ...later });
  return await changedSince(await makePlan(first), {
    ...second,
    now: second.clock.now,
  });
}

Deno.test("another runbook and other inputs are named", async () => {
  assert.deepEqual(await changes({}, {}, text.replace("1m", "2m")), [
    "the runbook, or one that it uses, has changed",
  ]);
  assert.deepEqual(
    await changes({}, { inputs: { version: "v1.13.7", soak: "5m" } }),
    [
      'input "soak" was "1m" and is now "5m"',
      'input "version" was "v1.13.6" and is now "v1.13.7"',
      'input "key" was {"secret":"input/key"} and is now not given',
    ],
  );
});

Deno.test("nodes that joined, left or have changed are named", async () => {
  const later = [
    ...usual.slice(0, 3),
    node("w-4", { version: "v1.13.5" }),
    node("w-6"),
  ];
  assert.deepEqual(await changes({}, { nodes: later }), [
    'group "stale": w-6 joined, w-5 left',
    'group "ready": w-6 joined, w-5 left',
    "w-4 has changed",
    "w-5 no longer exists",
  ]);
});

Deno.test("another cluster, and the same one under another name, are named", async () => {
  const first = await planRequest(text, { modules, inputs });
  const plan = await makePlan(first);
  const { cluster } = first.facts;
  const at = (other: Partial<typeof cluster>) =>
    changedSince(plan, {
      ...first,
      now: first.clock.now,
      facts: { ...toFacts(usual), cluster: { ...cluster, ...other } },
    });
  assert.deepEqual(await at({ id: "c2", name: "test" }), [
    'it was made for the cluster "prod" (c1); this is "test" (c2)',
  ]);
  assert.deepEqual(await at({ endpoint: "https://other" }), [
    "the name or the endpoint of the cluster",
  ]);
});

Deno.test("a plan that was written is read as it was", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/plan.json`;
    await Deno.writeTextFile(path, JSON.stringify(fullPlan));
    assert.deepEqual(await readPlan(path), fullPlan);
  });
});

Deno.test("readPlan: refuses other files", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/plan.json`;
    const wrong = [
      "{",
      "[]",
      "null",
      JSON.stringify({ ...fullPlan, v: 2 }),
      JSON.stringify({ ...fullPlan, ir: undefined }),
      JSON.stringify({ ...fullPlan, groups: [{ name: "a", nodes: [1] }] }),
      JSON.stringify({ ...fullPlan, facts: { "cp-1": 1 } }),
      JSON.stringify({ ...fullPlan, cluster: { name: "prod" } }),
    ];
    for (const text of wrong) {
      await Deno.writeTextFile(path, text);
      await assert.rejects(readPlan(path), {
        name: "ConfigError",
        message: `Cannot read "${path}": it is not a plan`,
      });
    }
  });
});

Deno.test("a plan that is not there is named", async () => {
  await assert.rejects(readPlan("/nowhere/plan.json"), {
    message: 'There is no file "/nowhere/plan.json"',
  });
});
