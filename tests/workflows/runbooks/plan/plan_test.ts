import assert from "node:assert/strict";
import { hasChanges } from "../../../../workflows/runbooks/plan/plan.ts";
import { change, look, makeTextPlan, refusal } from "./_plan_inputs.ts";

const modules = [
  change("touch"),
  change("nothing", { finds: () => undefined }),
  change("never", { finds: () => refusal("No") }),
  look("look", {
    scope: "cluster",
    output: { ok: { type: "bool", summary: "Truth" } },
  }),
];

async function changes(...steps: readonly string[]): Promise<boolean> {
  const list = steps.map((step) => `  - { ${step} }\n`).join("");
  const text = `
groups: { workers: { role: worker }, none: { names: [] } }
steps:
${list}`;
  return hasChanges(await makeTextPlan(text, { modules }));
}

const each = (group: string, run: string) =>
  `id: all, forEach: ${group}, steps: [{ id: a, run: ${run} }]`;

Deno.test("a plan has none when all is as wanted, is only looked at, or is omitted", async () => {
  assert.equal(await changes("id: look, run: look", "id: s, sleep: 1s"), false);
  assert.equal(await changes(each("workers", "nothing")), false);
  assert.equal(await changes(each("none", "touch")), false);
  assert.equal(
    await changes(
      `id: b, when: "false", block: [{ ${each("workers", "touch")} }]`,
    ),
    false,
  );
});

Deno.test("plan: steps of a rescue are not changes", async () => {
  const text = `
groups: { workers: { role: worker } }
steps: [{ id: s, sleep: 1s }]
rescue: [{ ${each("workers", "touch")} }]
`;
  assert.equal(hasChanges(await makeTextPlan(text, { modules })), false);
});
