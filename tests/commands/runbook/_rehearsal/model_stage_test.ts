import assert from "node:assert/strict";
import { rehearsed } from "./_rehearsed.ts";

Deno.test("a rotation is looked at with each record: some credential always opens every node", async () => {
  const { report, shutOut, violated, invariants } = await rehearsed({
    runbook: "builtin:rotate-ca",
    cluster: "1cp+1w",
    faults: ["runner: kill @ issue"],
  });
  assert.equal(report?.state, "succeeded");
  assert.deepEqual(shutOut, []);
  assert.deepEqual(violated, []);
  const open = invariants.find(({ id }) => id === "I6");
  assert.equal(open?.state, "held");
});

Deno.test("where no clients are made nobody looks", async () => {
  const { shutOut } = await rehearsed({
    runbook: `apiVersion: osctl/v1
kind: Runbook
name: wait
title: Wait
policy: { lock: none }
steps:
  - { id: rest, sleep: 1m }
`,
    cluster: "1cp",
  });
  assert.equal(shutOut, undefined);
});
