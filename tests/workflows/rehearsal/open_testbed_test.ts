import assert from "node:assert/strict";
import { temporaryFolder } from "../../../lib/files/temporary.ts";
import { openTestbed } from "../../../workflows/rehearsal/open_testbed.ts";
import { parseClusterSpec } from "../../../workflows/rehearsal/cluster_shape.ts";
import { load, runRehearsal, steps } from "./_runbooks.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import { inScratch } from "../../../workflows/rehearsal/model_disk.ts";

Deno.test("a stage has a cluster as it was requested, and a disk with secrets", async () => {
  const runbook = await load("builtin:rotate-kubernetes-ca");
  const secret = new TextEncoder().encode("a secret of mine");
  const opened = await openTestbed(parseClusterSpec("1cp+1w,v1.12.4,grub"), {
    runbook,
    inputs: {
      values: {},
      given: new Set(),
      secrets: new Map([["ca", secret]]),
    },
    seed: 3,
    different: { "demo-worker-1": { version: "v1.11.2" } },
    parallel: 4,
    steps: steps(),
  });
  const { stage, disk } = opened;
  assert.deepEqual(
    stage.observe().nodes.map(({ name, version }) => [name, version]),
    [["demo-controlplane-1", "v1.12.4"], ["demo-worker-1", "v1.11.2"]],
  );
  assert.deepEqual(disk.vault.names(), ["input/ca"]);
  const { folder } = disk;
  await opened[Symbol.asyncDispose]();
  await assert.rejects(Deno.stat(folder), Deno.errors.NotFound);
});

Deno.test("a rotation is checked with each record: some credential always opens every node", async () => {
  const { report, shutOut, violated, invariants } = await runRehearsal({
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

Deno.test("where no clients are made there are no observers", async () => {
  const { shutOut } = await runRehearsal({
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

const inputs = {
  from: { type: "path" },
  to: { type: "path" },
  none: { type: "path" },
  word: { type: "string" },
  // No more of them is checked.
} as unknown as Runbook["inputs"];

Deno.test("the folder is gone afterwards, and what cannot be copied is reported", async () => {
  const scratch = await temporaryFolder("osctl-test-");
  await assert.rejects(
    inScratch({ inputs }, { from: scratch.path }, scratch.path),
  );
  await scratch[Symbol.asyncDispose]();
  await assert.rejects(Deno.stat(scratch.path), Deno.errors.NotFound);
});
