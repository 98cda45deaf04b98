import assert from "node:assert/strict";
import {
  allSteps,
  makeOutline,
} from "../../../../workflows/runbooks/language/walk.ts";
import { book, load } from "./_finders.ts";

const files = {
  "a.yaml": book(
    "groups: { g: {} }",
    "steps:",
    "  - id: a",
    "    block: [{ id: b, sleep: 1s }]",
    "    rescue: [{ id: c, use: ./b.yaml }]",
    "  - id: d",
    "    forEach: g",
    "    steps: [{ id: e, sleep: 1s }]",
    "  - { id: f, use: ./b.yaml }",
    "always: [{ id: g, sleep: 1s }]",
  ),
  "b.yaml": book("steps: [{ id: used, sleep: 1s }]"),
};

Deno.test("allSteps goes through used runbooks once", async () => {
  const { steps } = await load(files);
  assert.deepEqual([...allSteps(steps)].map(({ id }) => id), [
    "a",
    "b",
    "c",
    "used",
    "d",
    "e",
    "f",
  ]);
});

Deno.test("makeOutline lists steps, each followed by those in it", async () => {
  const runbook = await load({
    "a.yaml": book(
      "steps:",
      "  - id: a",
      "    block: [{ id: b, title: B, when: 1 < 2, sleep: 1s }]",
      "    always: [{ id: c, run: etcd.status }]",
      "rescue: [{ id: d, gate: cluster.health }]",
    ),
  });
  assert.deepEqual(makeOutline(runbook), [
    { path: "a", does: "together", title: null, when: null, part: "steps" },
    { path: "a/b", does: "sleep 1s", title: "B", when: "1 < 2", part: "steps" },
    {
      path: "a/c",
      does: "run etcd.status",
      title: null,
      when: null,
      part: "always",
    },
    {
      path: "d",
      does: "wait 5m for cluster.health",
      title: null,
      when: null,
      part: "rescue",
    },
  ]);
});
