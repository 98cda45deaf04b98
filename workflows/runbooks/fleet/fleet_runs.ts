/** Runs of many clusters below one folder, as a workflow engine leaves them. */

import { type ExitStatus, exitStatus } from "../../../errors.ts";
import { readStat } from "../../../lib/files/atomic_file.ts";
import type { RunCondition } from "../store/run_condition.ts";
import { type SurveyedRun, surveyRuns } from "../store/find_run.ts";

/** A cluster of a fleet. */
export interface FleetCluster {
  /** Name of its folder; empty for runs in the folder itself. */
  readonly folder: string;
  /** Its newest run; absent when it has none that is wanted. */
  readonly newest?: SurveyedRun;
}

/**
 * Finds the newest run of each cluster.
 *
 * @param folder Folder with one for each cluster in it, or with the runs of one.
 * @param key How the keys of wanted runs begin; empty for all runs.
 * @returns In the order of the names of the folders.
 */
export async function fleetRuns(
  folder: string,
  key: string,
): Promise<readonly FleetCluster[]> {
  const names: string[] = [];
  for (const name of ["", ...await foldersIn(folder)]) {
    const runs = await readStat(`${folder}/${name}/runs`);
    if (runs?.isDirectory) names.push(name);
  }
  return await Promise.all(names.map(async (name): Promise<FleetCluster> => {
    for await (const one of surveyRuns(`${folder}/${name}/runs`)) {
      // The newest comes first.
      if (key === "" || one.header.key?.startsWith(key)) {
        return { folder: name, newest: one };
      }
    }
    return { folder: name };
  }));
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) found.push(name);
  }
  return found.sort();
}

/** Statuses from the best to the worst: what is to be called once more comes before what a person has to look at. */
const order: readonly ExitStatus[] = [
  exitStatus.ok,
  exitStatus.partial,
  exitStatus.stopped,
  exitStatus.waiting,
  exitStatus.locked,
  exitStatus.disapproved,
  exitStatus.usage,
  exitStatus.timeout,
  exitStatus.failed,
  exitStatus.refused,
];

/**
 * The worst of many statuses.
 *
 * @param statuses Statuses; one that is not in the table counts as failed.
 * @returns 0 when there are none.
 */
export function worstStatus(statuses: readonly number[]): ExitStatus {
  const ranks = statuses.map((status) => {
    const rank = order.findIndex((one) => one === status);
    return rank < 0 ? order.indexOf(exitStatus.failed) : rank;
  });
  return order[Math.max(0, ...ranks)] ?? exitStatus.ok;
}

/** Status of a run for the process that started it. `status`: exit status of its end; null while it has none. */
export function statusOfRun(
  state: RunCondition | "damaged",
  status: number | null,
): number {
  if (status !== null) return status;
  // One without an end is resumed by calling once more.
  return state === "damaged" ? exitStatus.failed : exitStatus.stopped;
}
