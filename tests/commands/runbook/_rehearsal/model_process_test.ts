import assert from "node:assert/strict";
import { rehearsed } from "./_rehearsed.ts";

const pulling = `apiVersion: osctl/v1
kind: Runbook
name: pull
title: Bring an image to all nodes
requires: { needs: [kubernetes] }
groups:
  all: { order: [name] }
steps:
  - id: pull
    forEach: { nodes: all, strategy: { batch: 5, maxFailures: 0 } }
    steps:
      - id: image
        run: image.pull
        with: { image: "ghcr.io/siderolabs/installer:v1.13.6" }
`;

Deno.test("nodes that are changed at the same time take the hold on their cluster once", async () => {
  const { report, records, problems, violated } = await rehearsed({
    runbook: pulling,
    cluster: "3cp+2w",
  });
  assert.equal(report?.state, "succeeded");
  assert.equal(report.targets.length, 5);
  const leases = records.filter(({ t }) => t === "lease");
  assert.deepEqual(leases.map(({ d }) => d?.state), ["taken", "released"]);
  assert.deepEqual([problems, violated], [[], []]);
});

Deno.test("a hold that somebody else has is respected", async () => {
  const { report } = await rehearsed({
    runbook: pulling,
    cluster: "1cp+1w",
    faults: ["k8s: down"],
  });
  assert.equal(report?.state, "blocked");
  assert.equal(report.failure?.code, "lease-lost");
});

Deno.test("files of a run take none of the cluster's time, and its own clock may be off", async () => {
  const { report, files, virtualMs } = await rehearsed({
    runbook: `apiVersion: osctl/v1
kind: Runbook
name: save
title: Save a snapshot
policy: { lock: none }
steps:
  - id: save
    run: etcd.snapshot
    with: { artifact: a.snapshot }
`,
    faults: ["clock: skew 10m"],
  });
  assert.equal(report?.state, "succeeded");
  assert.equal(virtualMs, 0);
  assert.match(files[0]?.path ?? "", /\/artifacts\/a\.snapshot$/);
});
