import { throughMatrices } from "./_matrices.ts";

const oneNode = `apiVersion: osctl/v1
kind: Runbook
name: workers-upgrade
title: Upgrade the workers, one after the other
requires: { needs: [kubernetes] }
inputs:
  version: { type: semver, required: true }
  soak: { type: duration, default: 2s }
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1, maxFailures: 0 } }
    steps: [{ id: node, use: "builtin:node-upgrade", pass: same-named }]
`;

throughMatrices({
  name: "node-upgrade",
  runbook: oneNode,
  inputs: ["version=v1.13.6"],
  cluster: "1cp+2w",
  faults: [],
});
