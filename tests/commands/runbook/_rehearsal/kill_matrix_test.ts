import assert from "node:assert/strict";
import { openStage } from "../../../../commands/runbook/_rehearsal/open_stage.ts";
import { parseClusterSpec } from "../../../../workflows/rehearsal/cluster_spec.ts";
import type { Matrix } from "../../../../workflows/rehearsal/matrix.ts";
import { rehearseAll } from "../../../../workflows/rehearsal/rehearsal.ts";
import {
  invariantIds,
  isGood,
} from "../../../../workflows/rehearsal/rehearsal_report.ts";
import { rehearsalText } from "../../../../workflows/rehearsal/rehearsal_text.ts";
import { resolveInputs } from "../../../../workflows/runbooks/load/resolve_inputs.ts";
import { contextOf, loaded } from "./_rehearsed.ts";

/** A runbook, and in what it is rehearsed. */
interface Headline {
  readonly name: string;
  readonly runbook: string;
  readonly inputs: readonly string[];
  readonly cluster: string;
  readonly faults: readonly string[];
}

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

const version = "version=v1.13.6";
const noFaults: readonly string[] = [];

const headlines: readonly Headline[] = [
  {
    name: "rolling-upgrade",
    runbook: "builtin:rolling-upgrade",
    inputs: [version, "soak=2s"],
    cluster: "3cp+2w",
    faults: noFaults,
  },
  {
    name: "node-upgrade",
    runbook: oneNode,
    inputs: [version],
    cluster: "1cp+2w",
    faults: noFaults,
  },
  {
    name: "rotate-ca of the node API",
    runbook: "builtin:rotate-ca",
    inputs: [],
    cluster: "3cp+1w",
    faults: noFaults,
  },
  {
    name: "rotate-ca of Kubernetes",
    runbook: "builtin:rotate-ca",
    inputs: ["os=false", "kubernetes=true"],
    cluster: "3cp+1w",
    faults: noFaults,
  },
  {
    name: "etcd-recovery",
    runbook: "builtin:etcd-recovery",
    inputs: ["cluster=demo"],
    cluster: "3cp+1w",
    faults: ["etcd/cp-2: unhealthy", "etcd/cp-3: unhealthy"],
  },
];

/** Which matrices are rehearsed as a whole: `kill`, `network` or `all`. */
const wanted = Deno.env.get("OSCTL_MATRIX");

/** Cases of each runbook that are rehearsed each time. */
const sample = 4;

for (const headline of headlines) {
  for (const matrix of ["kill", "network"] as const) {
    Deno.test(`${headline.name} comes to the same end through some of its ${matrix} matrix`, () =>
      holds(headline, matrix, sample));
    Deno.test({
      name:
        `${headline.name} comes to the same end through all of its ${matrix} matrix`,
      // It takes minutes: CI does those of kills, the task "matrix" all of them.
      ignore: wanted !== "all" && wanted !== matrix,
      fn: () => holds(headline, matrix, 0),
    });
  }
}

async function holds(
  { runbook: source, inputs: given, cluster, faults }: Headline,
  matrix: Matrix,
  most: number,
): Promise<void> {
  const runbook = await loaded(source);
  const inputs = await resolveInputs(runbook, {
    given,
    secrets: [],
    env: () => undefined,
    ask: ({ name }) => Promise.resolve(`rehearsed-${name}`),
  });
  const seed = Number(Deno.env.get("OSCTL_SEED") ?? 1);
  const report = await rehearseAll({
    runbook,
    cluster: parseClusterSpec(cluster),
    open: (spec) =>
      openStage(spec, {
        ...{ runbook, inputs, seed, parallel: 32 },
        context: contextOf(),
      }),
    faults,
    matrices: [matrix],
    invariants: new Set(invariantIds),
    seed,
    most,
    again: (all) => all.join(", "),
    now: () => new Date(),
    tell() {},
    signal: new AbortController().signal,
  });
  assert.equal(report.runs[0]?.report?.state, "succeeded");
  assert.ok(report.runs.length > sample);
  assert.ok(report.runs.every(isGood), rehearsalText(report));
}
