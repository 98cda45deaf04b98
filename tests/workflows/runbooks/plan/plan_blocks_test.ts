import assert from "node:assert/strict";
import {
  change,
  head,
  look,
  makeTextPlan,
  previewsAt,
  stageAt,
  unknownsIn,
} from "./_plan_inputs.ts";

const modules = [
  change("touch", {
    scope: "cluster",
    input: { x: { type: "any", summary: "X" } },
  }),
  look("make", {
    scope: "cluster",
    output: { x: { type: "string", summary: "X" } },
  }),
];

Deno.test("plan blocks: rescue is only listed, always comes last", async () => {
  const plan = await makeTextPlan(
    `
steps:
  - id: b
    block: [{ id: a, run: touch }]
    rescue: [{ id: r, run: touch }]
    always: [{ id: z, run: touch }]
`,
    { modules },
  );
  assert.deepEqual(
    ["b/a", "b/r", "b/z"].map((path) => [
      stageAt(plan, path).happens,
      previewsAt(plan, path),
    ]),
    [["yes", ["change touch"]], ["unknown", []], ["yes", ["change touch"]]],
  );
});

Deno.test("blocks and runbooks give what is in them, when all of it is known", async () => {
  const inner = `${head("inner")}
steps:
  - { id: made, run: make }
  - { id: two, decide: { name: d, value: 2 } }
outputs: { two: "\${{ steps.two.value }}" }
`;
  const other = `${head("other")}
steps: [{ id: made, run: make }]
outputs: { x: "\${{ steps.made.x }}" }
`;
  const plan = await makeTextPlan(
    `
steps:
  - { id: known, block: [{ id: d, decide: { name: a, value: 1 } }] }
  - { id: open, block: [{ id: m, run: make }] }
  - { id: one, use: ./inner.yaml }
  - { id: two, use: ./other.yaml }
  - { id: a, run: touch, with: { x: "\${{ steps.known.d.value }}" } }
  - { id: b, run: touch, with: { x: "\${{ steps.open.m.x }}" } }
  - { id: c, run: touch, with: { x: "\${{ steps.one.two }}" } }
  - { id: d, run: touch, with: { x: "\${{ steps.two.x }}" } }
`,
    { modules, files: { "inner.yaml": inner, "other.yaml": other } },
  );
  assert.deepEqual(unknownsIn(plan), [
    "b with.x: steps.open.m.x <- open/m",
    "d with.x: steps.two.x <- two/made, two",
  ]);
  const one = stageAt(plan, "one");
  assert.equal(one.verb === "block" && one.runbook, "inner");
});
