import assert from "node:assert/strict";
import { groupsAtStart } from "../../../../workflows/runbooks/plan/initial_groups.ts";
import { planRequest } from "./_plan_inputs.ts";

Deno.test("groups are those a run would begin with, within its limit", async () => {
  const request = await planRequest(
    `
inputs: { role: { type: string, default: worker } }
vars: { wanted: "\${{ inputs.role }}" }
groups: { some: { where: "node.role == vars.wanted", order: [name] } }
steps: [{ id: s, sleep: 1s }]
`,
    { limit: ["w-5", "cp-1"] },
  );
  const { book, resolveGroup } = await groupsAtStart({
    ...request,
    now: request.clock.now,
  });
  assert.deepEqual(resolveGroup("some"), ["w-5"]);
  assert.deepEqual(resolveGroup("none"), []);
  assert.deepEqual(book.vars, { wanted: "worker" });
});
