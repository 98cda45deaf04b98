/** Durations of nodes in earlier runs of a runbook. */

import { surveyRuns } from "../store/find_run.ts";
import { splitKey } from "../journal/resume_state.ts";

/** Durations in an earlier run of the runbook on the cluster. */
export interface EarlierTimes {
  /** Id of the run. */
  readonly run: string;
  /** Mean duration of a node in milliseconds, by path of the fan-out. */
  readonly meanMs: ReadonlyMap<string, number>;
}

/**
 * Reads how long nodes took in the last run of a runbook on a cluster.
 *
 * @param runs Folder of all runs; may be missing.
 * @returns `undefined` if no node was done in any of them.
 */
export async function readEarlierTimes(
  runs: string,
  wanted: { readonly runbook: string; readonly cluster: string },
): Promise<EarlierTimes | undefined> {
  for await (const { header, run } of surveyRuns(runs)) {
    const isSame = header.runbook === wanted.runbook &&
      header.cluster.id === wanted.cluster;
    if (!isSame || run === undefined) continue;
    const times = [...run.history.nodes].flatMap(([key, node]) =>
      // The duration of a node that was interrupted contains the pause.
      node.state === "done" && node.tookMs !== undefined && node.entry === 1
        ? [{ path: splitKey(key).path, ms: node.tookMs }]
        : []
    );
    if (times.length === 0) continue;
    const meanMs = new Map(
      [...Map.groupBy(times, ({ path }) => path)].map(([path, all]) => [
        path,
        all.reduce((sum, { ms }) => sum + ms, 0) / all.length,
      ]),
    );
    return { run: header.id, meanMs };
  }
  return undefined;
}
