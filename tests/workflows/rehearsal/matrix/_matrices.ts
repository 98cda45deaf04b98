/** Matrices of faults that the headline runbooks are rehearsed through; a file for each, so that they run side by side. */

import assert from "node:assert/strict";
import type { ObservedCluster } from "../../../../workflows/rehearsal/model/observed_state.ts";
import {
  openTestbed,
  type TestbedOptions,
} from "../../../../workflows/rehearsal/open_testbed.ts";
import { parseClusterSpec } from "../../../../workflows/rehearsal/cluster_shape.ts";
import type {
  Matrix,
  MatrixOptions,
} from "../../../../workflows/rehearsal/matrix.ts";
import { matrix, part, withoutMatrix } from "../../../_matrix.ts";
import { rehearseAll } from "../../../../workflows/rehearsal/rehearsal.ts";
import { isGood } from "../../../../workflows/rehearsal/rehearsal_report.ts";
import { invariantIds } from "../../../../workflows/rehearsal/invariants/invariant.ts";
import { rehearsalText } from "../../../../workflows/rehearsal/rehearsal_text.ts";
import { resolveInputs } from "../../../../workflows/runbooks/language/resolve_inputs.ts";
import { needs } from "../../../_needs.ts";
import { load, steps } from "../_runbooks.ts";

/** A runbook, and in what it is rehearsed. */
export interface Headline {
  readonly name: string;
  /** `builtin:name`, or YAML of a runbook. */
  readonly runbook: string;
  /** Values of its inputs: `name=value`. */
  readonly inputs: readonly string[];
  readonly cluster: string;
  /** Faults that are there all the time. */
  readonly faults: readonly string[];
  readonly secretValues?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly model?: TestbedOptions["model"];
  /** Checks the cluster after each case. */
  readonly check?: (cluster: ObservedCluster) => Promise<void>;
}

/** Cases of each matrix that are rehearsed each time. */
const sample = 1;

/**
 * Tests that a runbook comes to the same end, whatever happens once: in some cases each time, around a record of each
 * kind where `OSCTL_MATRIX` is `kinds`, in all cases where it is `all`.
 */
export function throughMatrices(headline: Headline): void {
  const { name } = headline;
  Deno.test({
    name: `${name} comes to the same end through some of its matrices`,
    ...needs(withoutMatrix),
    fn: async () => {
      await holds(headline, {
        matrices: ["network"],
        most: sample,
      });
    },
  });
  Deno.test({
    name: `${name} comes to the same end, killed around a record of each kind`,
    ...needs(matrix("kinds")),
    fn: (test) => runCase(test, headline, ["kill-kinds"]),
  });
  Deno.test({
    name: `${name} comes to the same end through all of its matrices`,
    ...needs(matrix("all")),
    fn: (test) => runCase(test, headline, ["kill", "kill-calls", "network"]),
  });
}

/** Rehearses this machine's part of the cases, and says how many they were. */
async function runCase(
  test: Deno.TestContext,
  headline: Headline,
  matrices: readonly Matrix[],
): Promise<void> {
  const cases = await holds(headline, { matrices, most: 0, part });
  await test.step(`${cases} cases tried`, () => {});
}

async function holds(
  { runbook: source, inputs: given, cluster, faults, ...more }: Headline,
  which: Pick<MatrixOptions, "matrices" | "most" | "part">,
): Promise<number> {
  const runbook = await load(source);
  const inputs = await resolveInputs(runbook, {
    given,
    secrets: [],
    secretValues: more.secretValues,
    env: () => undefined,
    ask: ({ name }) => Promise.resolve(`rehearsed-${name}`),
  });
  const seed = Number(Deno.env.get("OSCTL_SEED") ?? 1);
  const wrong: unknown[] = [];
  const report = await rehearseAll({
    runbook,
    cluster: parseClusterSpec(cluster),
    async open(spec) {
      const { stage, disk, ...opened } = await openTestbed(spec, {
        ...{ runbook, inputs, seed, parallel: 32 },
        steps: steps(),
        ...more.model && { model: more.model },
      });
      return {
        stage,
        disk,
        async [Symbol.asyncDispose]() {
          // The model observes all of it.
          const cluster = stage.observe() as ObservedCluster;
          await more.check?.(cluster).catch((error) => wrong.push(error));
          await opened[Symbol.asyncDispose]();
        },
      };
    },
    faults,
    ...which,
    invariants: new Set(invariantIds),
    seed,
    again: (all) => all.join(", "),
    now: () => new Date(),
    report() {},
    signal: new AbortController().signal,
  });
  assert.equal(report.runs[0]?.report?.state, "succeeded");
  assert.ok(report.runs.every(isGood), rehearsalText(report));
  // What did not end well is reported with its faults first.
  if (wrong.length > 0) throw wrong[0];
  const cases = report.runs.length - 1;
  assert.ok(cases >= sample);
  return cases;
}
