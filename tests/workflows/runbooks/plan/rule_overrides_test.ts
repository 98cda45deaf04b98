import assert from "node:assert/strict";
import { makeTextPlan, prepared, unknownsIn } from "./_plan_inputs.ts";

Deno.test("a module is told whether a rule would be overridden, without asking", async () => {
  const reported: boolean[] = [];
  const module = prepared(
    "ask",
    async ({ overridden }) => {
      reported.push(await overridden("version-path"));
      return { output: {} };
    },
    { scope: "cluster" },
  );
  const text = (allow: string) => `
inputs: { on: { type: bool, default: true } }
policy: { allow: [${allow}] }
steps: [{ id: a, run: ask }]
`;
  const rules = [
    "",
    "{ rule: image-identity, reason: R }",
    "{ rule: version-path, reason: R }",
    "{ rule: version-path, when: inputs.on, reason: R }",
    '{ rule: version-path, when: "!inputs.on", reason: R }',
    "{ rule: version-path, when: \"reached('a')\", reason: R }",
  ];
  const plans = [];
  for (const rule of rules) {
    // One after the other, as what is reported is a list.
    plans.push(await makeTextPlan(text(rule), { modules: [module] }));
  }
  assert.deepEqual(reported, [false, false, true, true, false, false]);
  assert.deepEqual(plans.map(unknownsIn).flat(), [
    "allow/version-path when: reached('a') <- a",
  ]);
});
