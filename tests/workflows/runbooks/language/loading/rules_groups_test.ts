import assert from "node:assert/strict";
import { isControlPlane } from "../../../../../workflows/runbooks/language/loading/rules_groups.ts";
import { anyStep, book, load, problems } from "../_finders.ts";

const wrong: readonly (readonly [text: string, ...expected: string[]])[] = [
  [
    "groups: { workers: {}, a: { from: worker } }",
    '5:35: There is no group "worker" (Did you mean "workers"?)',
  ],
  [
    "groups: { workers: {}, a: { union: [workers, worker] } }",
    '5:46: There is no group "worker" (Did you mean "workers"?)',
  ],
  [
    "groups: { workers: {}, a: { except: worker } }",
    '5:37: There is no group "worker" (Did you mean "workers"?)',
  ],
  [
    "groups: { a: { from: a } }",
    '5:22: Group "a" depends on itself (Use another group)',
  ],
  [
    "groups: { a: { union: [b] }, b: { except: a } }",
    '5:24: Group "b" comes after "a", which depends on it (Put "b" before "a")',
  ],
];
for (const [text, ...expected] of wrong) {
  Deno.test(`groups are wrong in their places: ${expected[0]}`, async () => {
    assert.deepEqual(
      await problems(book(text, anyStep)),
      expected.map((line) => `a.yaml:${line}`),
    );
  });
}

Deno.test("isControlPlane holds for groups that can hold nothing else", async () => {
  const runbook = await load({
    "a.yaml": book(
      "groups:",
      "  cp: { role: controlplane }",
      "  worker: { role: worker }",
      "  narrowed: { from: cp, where: node.ready }",
      "  both: { union: [cp, worker] }",
      "  same: { union: [cp, narrowed] }",
      "  any: {}",
      "  odd: { from: cp, role: worker }",
      anyStep,
    ),
  });
  const names = Object.keys(runbook.groups);
  assert.deepEqual(names.filter((name) => isControlPlane(name, runbook)), [
    "cp",
    "narrowed",
    "same",
  ]);
  assert.equal(isControlPlane("none", runbook), false);
});
