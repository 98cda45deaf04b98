/** A run that an outer engine knows by a key of its own. */

import { ConfigError, exitStatus } from "../../../errors.ts";
import { skippedOf } from "../journal/resume_state.ts";
import type { RunReport } from "../event.ts";
import { residueList } from "../journal/residue.ts";
import { artifactsIn, type ListedRun } from "./run_folder.ts";
import { readRunbook, surveyHeaders } from "./run_header.ts";
import { targetsOf } from "../journal/targets.ts";
import type { RunPlaces } from "./run_paths.ts";

/**
 * Finds the run of a key.
 *
 * @returns Its id; `undefined` when none was begun.
 * @throws {ConfigError} If it may be one that cannot be read.
 */
export async function runOfKey(
  { runs }: Pick<RunPlaces, "runs">,
  key: string,
): Promise<string | undefined> {
  const { headers, damaged: [damaged] } = await surveyHeaders(runs);
  const id = headers.find((header) => header.key === key)?.id;
  if (id !== undefined || damaged === undefined) return id;
  throw new ConfigError(damaged.problem, {
    hint:
      `It may belong to the run with key "${key}"; if not, remove it: ${damaged.folder}`,
  });
}

/**
 * Tells again how a run has succeeded.
 *
 * @returns `undefined` when it has not.
 * @throws {ConfigError} If its runbook was changed.
 */
export async function successOf(
  { folder, header, history }: ListedRun,
): Promise<RunReport | undefined> {
  const { end, startedAt, endedAt } = history;
  if (end?.state !== "succeeded") return undefined;
  const runbook = await readRunbook(folder, header, history.rebased);
  return {
    run: header.id,
    runbook: header.runbook,
    cluster: header.cluster.name,
    state: "succeeded",
    status: exitStatus.ok,
    startedAt,
    endedAt,
    // That is what it means to succeed.
    targets: targetsOf(runbook, history)
      .map((target) => ({ ...target, state: "done" })),
    skipped: skippedOf(history),
    residue: residueList(history.residue),
    artifacts: await artifactsIn(folder),
    // Written by `run.ts` of the engine.
    outputs: end.outputs as RunReport["outputs"],
  };
}
