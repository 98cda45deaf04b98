import assert from "node:assert/strict";
import { makeOutline } from "../../../../workflows/runbooks/language/walk.ts";
import { book, load } from "./_finders.ts";

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
