/** Runs of many clusters below one folder, as created by a workflow engine. */

import { type ExitStatus, exitStatus } from "../../../errors.ts";
import { readStat } from "../../../lib/files/atomic_file.ts";
import type { RunCondition } from "../store/run_condition.ts";
import { type SurveyedRun, surveyRuns } from "../store/find_run.ts";

/** A cluster of a fleet. */
export interface FleetCluster {
  /** Name of its folder; empty for runs in the folder itself. */
  readonly folder: string;
  /** Its newest matching run; absent when there is none. */
  readonly newest?: SurveyedRun;
}

/**
 * Finds the newest run of each cluster.
 *
 * @param folder Folder with one folder per cluster, or with the runs of one cluster.
 * @param key Prefix of the keys of matching runs; empty for all runs.
 * @returns Clusters, sorted by folder name.
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
      // Runs are sorted newest first.
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

/** Statuses from best to worst: those that a retry resolves come before those that require an operator. */
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
 * Finds the worst status.
 *
 * @param statuses Statuses; unknown ones count as failed.
 * @returns 0 when there are none.
 */
export function worstStatus(statuses: readonly number[]): ExitStatus {
  const ranks = statuses.map((status) => {
    const rank = order.findIndex((one) => one === status);
    return rank < 0 ? order.indexOf(exitStatus.failed) : rank;
  });
  return order[Math.max(0, ...ranks)] ?? exitStatus.ok;
}

/** Exit status of a run for its caller. `status`: recorded exit status; null while there is none. */
export function statusOfRun(
  state: RunCondition | "damaged",
  status: number | null,
): number {
  if (status !== null) return status;
  // A run without a result is resumed by another call.
  return state === "damaged" ? exitStatus.failed : exitStatus.stopped;
}
