import assert from "node:assert/strict";
import { change, look, makeTextPlan, stageAt } from "./_plan_inputs.ts";

const count = look("count", {
  scope: "cluster",
  output: {
    number: { type: "int", summary: "Number" },
    ok: { type: "bool", summary: "Truth" },
  },
});

async function happens(when: string): Promise<string> {
  const plan = await makeTextPlan(
    `
inputs: { on: { type: bool, default: true }, maybe: { type: string } }
steps:
  - { id: made, run: count }
  - { id: s, when: ${JSON.stringify(when)}, run: touch }
`,
    { modules: [count, change("touch", { scope: "cluster" })] },
  );
  return stageAt(plan, "s").happens;
}

Deno.test("a condition is known when a part of it decides, and else is not guessed", async () => {
  const cases: Readonly<Record<string, string>> = {
    "inputs.on": "yes",
    "!inputs.on": "no",
    "steps.made.ok": "unknown",
    "!steps.made.ok": "unknown",
    "inputs.on && steps.made.ok": "unknown",
    "!inputs.on && steps.made.ok": "no",
    "steps.made.ok && !inputs.on": "no",
    "inputs.on || steps.made.ok": "yes",
    "!inputs.on || steps.made.ok": "unknown",
    "!(steps.made.ok || inputs.on)": "no",
    "inputs.on ? !inputs.on : steps.made.ok": "no",
    "!inputs.on ? steps.made.ok : inputs.on": "yes",
    "steps.made.ok ? inputs.on : inputs.on": "yes",
    "steps.made.ok ? inputs.on : !inputs.on": "unknown",
    "steps.made.number > 1": "unknown",
    "has(inputs.maybe) && inputs.maybe == 'x' && steps.made.ok": "no",
    "now() > timestamp('2020-01-01T00:00:00Z')": "unknown",
  };
  const found: Record<string, string> = {};
  for (const when of Object.keys(cases)) found[when] = await happens(when);
  assert.deepEqual(found, cases);
});
