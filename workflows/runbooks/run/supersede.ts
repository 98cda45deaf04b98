/** Closing an unfinished run whose place another one takes. */

import { ConfigError, HeldError, RefusedError } from "../../../errors.ts";
import { inDoubtOf, isUnfinished } from "../store/run_condition.ts";
import { residueList } from "../journal/residue.ts";
import { abortRun } from "../store/abort_run.ts";
import { type ListedRun, readRun } from "../store/run_folder.ts";

/** Which run is closed, and for which. */
export interface SupersedeOptions {
  /** Folder of all runs. */
  readonly runs: string;
  /** Run that is closed. */
  readonly old: string;
  /** Run that supersedes it. */
  readonly by: string;
  /** Id of the cluster they are about. */
  readonly cluster: string;
  /** Who wants it. */
  readonly operator: string;
  /** Present moment. */
  readonly now: () => Date;
  /** Tells the person who waits. */
  readonly note: (text: string) => void;
}

/**
 * Closes a run, unless something that it has sent may still be under way.
 *
 * @throws {ConfigError} If there is no such run, or it is about another cluster.
 * @throws {HeldError} If a process is at it.
 * @throws {RefusedError} If something is in doubt.
 */
export async function supersede(superseding: SupersedeOptions): Promise<void> {
  const { runs, old, by, operator, now, note } = superseding;
  const run = await readRun(runs, old);
  refuseOther(run, superseding);
  if (run.history.start !== undefined && !isUnfinished(run)) return;
  if (run.held) {
    throw new HeldError(`Run "${old}" is running in another process`, {
      hint: `Stop it with: osctl runbook stop ${old}`,
    });
  }
  refuseDoubts(run, superseding);
  for (const { message } of residueList(run.history.residue)) {
    note(`Run "${old}" left on nodes: ${message}`);
  }
  await abortRun({
    runs,
    id: old,
    now,
    sender: {
      by: operator,
      at: now().toISOString(),
      reason: `run "${by}" supersedes it`,
    },
  });
}

function refuseOther(
  { header }: ListedRun,
  { old, cluster }: SupersedeOptions,
): void {
  if (header.cluster.id === cluster) return;
  throw new ConfigError(
    `Cannot supersede run "${old}": it is for cluster "${header.cluster.name}"`,
    { hint: "Choose the context with --context" },
  );
}

function refuseDoubts({ history }: ListedRun, { old }: SupersedeOptions): void {
  const doubts = inDoubtOf(history);
  if (doubts.length === 0) return;
  const places = doubts.map(({ step, node }) =>
    node === undefined ? step : `${step}@${node}`
  );
  throw new RefusedError(
    `Cannot supersede run "${old}": results are unknown: ${places.join(", ")}`,
    { hint: `Resolve it with: osctl runbook resume ${old}` },
  );
}
