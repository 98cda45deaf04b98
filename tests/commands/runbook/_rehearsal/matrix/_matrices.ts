/** Matrices of faults that the headline runbooks are rehearsed through; a file for each, so that they run side by side. */

import assert from "node:assert/strict";
import { openStage } from "../../../../../commands/runbook/_rehearsal/open_stage.ts";
import { parseClusterSpec } from "../../../../../workflows/rehearsal/cluster_spec.ts";
import type { Matrix } from "../../../../../workflows/rehearsal/matrix.ts";
import { rehearseAll } from "../../../../../workflows/rehearsal/rehearsal.ts";
import {
  invariantIds,
  isGood,
} from "../../../../../workflows/rehearsal/rehearsal_report.ts";
import { rehearsalText } from "../../../../../workflows/rehearsal/rehearsal_text.ts";
import { resolveInputs } from "../../../../../workflows/runbooks/load/resolve_inputs.ts";
import { contextOf, loaded } from "../_rehearsed.ts";

/** A runbook, and in what it is rehearsed. */
export interface Headline {
  /** What tests call it. */
  readonly name: string;
  /** `builtin:name`, or YAML of a runbook. */
  readonly runbook: string;
  /** Values of its inputs: `name=value`. */
  readonly inputs: readonly string[];
  /** Cluster in one word. */
  readonly cluster: string;
  /** Faults that are there all the time. */
  readonly faults: readonly string[];
}

/** Which matrices are rehearsed as a whole: `kill`, `network` or `all`. */
const wanted = Deno.env.get("OSCTL_MATRIX");

/** Cases of each runbook that are rehearsed each time. */
const sample = 4;

/** Tests that a runbook comes to the same end, whatever happens once. */
export function throughMatrices(headline: Headline): void {
  const { name } = headline;
  for (const matrix of ["kill", "network"] as const) {
    Deno.test(`${name} comes to the same end through some of its ${matrix} matrix`, () =>
      holds(headline, matrix, sample));
    Deno.test({
      name: `${name} comes to the same end through all of its ${matrix} matrix`,
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
