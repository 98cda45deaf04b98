import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import type { PlannedCheck } from "../../../../workflows/runbooks/plan/plan.ts";
import {
  change,
  check,
  look,
  makeTextPlan,
  type Paper,
  stageAt,
  unknownsIn,
} from "./_plan_inputs.ts";

async function planChecks(
  text: string,
  path: string,
  paper: Paper,
): Promise<readonly PlannedCheck[]> {
  const stage = stageAt(await makeTextPlan(text, paper), path);
  return stage.verb === "gate" ? stage.checks : [];
}

const modules = [
  change("touch", { scope: "cluster" }),
  look("make", {
    scope: "cluster",
    output: { x: { type: "string", summary: "X" } },
  }),
];
const note = "It is old";
const ready = check(
  "node.ready",
  (node) =>
    node === "w-5"
      ? { ok: false, reason: `${node} boots` }
      : { ok: true, seen: `${node} runs`, ...node === "w-4" && { note } },
  { scope: "node" },
);

Deno.test("checks are checked now, on each node, and one that cannot be checked fails", async () => {
  const away = check("away", () => {
    throw new OsctlError("Nobody answers");
  });
  const text = `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: workers
    steps:
      - id: g
        gate:
          - check: node.ready
          - { check: node.ready, when: "node.role == 'controlplane'" }
          - check: away
        within: 1m
`;
  assert.deepEqual(
    await planChecks(text, "all/g", { checks: [ready, away], modules }),
    [
      {
        check: "node.ready",
        node: "w-4",
        state: "holds",
        reason: "w-4 runs. It is old",
      },
      {
        check: "node.ready",
        node: "w-4",
        state: "skip",
        reason: "its condition is false: node.role == 'controlplane'",
      },
      { check: "away", node: "w-4", state: "fails", reason: "Nobody answers" },
      { check: "node.ready", node: "w-5", state: "fails", reason: "w-5 boots" },
      {
        check: "node.ready",
        node: "w-5",
        state: "skip",
        reason: "its condition is false: node.role == 'controlplane'",
      },
      { check: "away", node: "w-5", state: "fails", reason: "Nobody answers" },
    ],
  );
});

Deno.test("planned checks: a check that fails after changing steps is decided at run time", async () => {
  const checks = [
    check("no", () => ({ ok: false, reason: "not yet" })),
    check("yes", () => ({ ok: true, seen: "all is well" })),
  ];
  const text = `
steps:
  - { id: a, run: touch }
  - { id: g, gate: [{ check: no }, { check: yes }], within: 1m }
`;
  assert.deepEqual(await planChecks(text, "g", { checks, modules }), [
    { check: "no", state: "unknown", reason: "not now: not yet" },
    { check: "yes", state: "holds", reason: "all is well" },
  ]);
});

Deno.test("the same check with the same input is checked once", async () => {
  let looks = 0;
  const quorum = check("quorum", () => {
    looks++;
    return { ok: true, seen: "" };
  }, { input: { group: { type: "string", summary: "Group" } } });
  const text = `
groups: { workers: { role: worker }, rest: { role: controlplane } }
steps:
  - id: all
    forEach: workers
    steps: [{ id: g, gate: [{ check: quorum }], within: 1m }]
  - { id: h, gate: [{ check: quorum }], within: 1m }
  - { id: i, gate: [{ check: quorum, with: { group: rest } }], within: 1m }
`;
  await makeTextPlan(text, { checks: [quorum], modules });
  assert.equal(looks, 2);
});

Deno.test("checks whose input or condition depends on steps are not looked at", async () => {
  const never = check("never", () => {
    throw new TypeError("It is looked at");
  }, { input: { x: { type: "string", summary: "X" } } });
  const text = `
steps:
  - { id: make, run: make }
  - { id: g, gate: [{ check: never, with: { x: "\${{ steps.make.x }}" } }, { check: never, when: "steps.make.x == 'a'" }], within: 1m }
`;
  const paper = { checks: [never], modules };
  assert.deepEqual(await planChecks(text, "g", paper), [
    { check: "never", state: "unknown", reason: "decided at run time" },
    { check: "never", state: "unknown", reason: "if steps.make.x == 'a'" },
  ]);
  assert.deepEqual(unknownsIn(await makeTextPlan(text, paper)), [
    "g never.with.x: steps.make.x <- make",
    "g never.when: steps.make.x == 'a' <- make",
  ]);
});

Deno.test("a programming error in a check is not a finding", async () => {
  const broken = check("broken", () => {
    throw new TypeError("A bug");
  });
  const text = "steps: [{ id: g, gate: [{ check: broken }], within: 1m }]\n";
  await assert.rejects(makeTextPlan(text, { checks: [broken] }), {
    message: "A bug",
  });
});
