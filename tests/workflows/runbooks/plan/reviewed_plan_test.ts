import assert from "node:assert/strict";
import { refuseUnlike } from "../../../../workflows/runbooks/plan/reviewed_plan.ts";
import { makePlan } from "../../../../workflows/runbooks/plan/make_plan.ts";
import { node, requestOf } from "./_paper.ts";

const text = `
groups: { all: { order: [name] } }
steps: [{ id: s, sleep: 1s }]
`;
const many = Array.from({ length: 10 }, (_, n) => node(`w-${n}`));

Deno.test("a run that is as it was planned is not refused", async () => {
  const request = await requestOf(text, { nodes: many });
  await refuseUnlike(await makePlan(request), {
    ...request,
    now: request.clock.now,
  });
});

Deno.test("a run that is not is refused with the first few reasons", async () => {
  const plan = await makePlan(await requestOf(text, { nodes: many }));
  const later = await requestOf(text, {
    nodes: many.map((one) => ({ ...one, version: "v1.13.5" })),
  });
  const changed = (n: number) => `w-${n} has changed`;
  await assert.rejects(
    refuseUnlike(plan, { ...later, now: later.clock.now }),
    {
      name: "RefusedError",
      message: `Cannot run "a" by the plan of 2026-11-20T12:00:00.000Z: ${
        [0, 1, 2, 3, 4, 5, 6, 7].map(changed).join("; ")
      }; and 2 more`,
      hint: "Make a new plan with osctl runbook plan, and have it reviewed",
    },
  );
});
