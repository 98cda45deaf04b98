/** Closing an unfinished run whose place another one takes. */

import { ConfigError, exitStatus, RefusedError } from "../../../errors.ts";
import { isUnfinished } from "../../../workflows/runbooks/hold/local_lock.ts";
import { residueList } from "../../../workflows/runbooks/journal/residue.ts";
import { inDoubtOf } from "../../../workflows/runbooks/run/condition.ts";
import { openJournal } from "../../../workflows/runbooks/run/run_folder.ts";

/** Which run is closed, and for which. */
export interface Superseding {
  /** Folder of all runs. */
  readonly runs: string;
  /** Run that is closed. */
  readonly old: string;
  /** Run that takes its place. */
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
 * @param superseding Which, and for which.
 * @throws {ConfigError} If there is no such run, or it is about another cluster.
 * @throws {HeldError} If a process is at it.
 * @throws {RefusedError} If something is in doubt.
 */
export async function supersede(superseding: Superseding): Promise<void> {
  const { runs, old, by, cluster, operator, now, note } = superseding;
  using open = await openJournal(runs, old, now);
  const { header, history, journal } = open;
  if (header.cluster.id !== cluster) {
    throw new ConfigError(
      `Cannot take the place of run "${old}": it is about cluster "${header.cluster.name}"`,
    );
  }
  if (!isUnfinished(open)) return;
  const doubts = inDoubtOf(history);
  if (doubts.length > 0) {
    const places = doubts.map(({ step, node }) =>
      node === undefined ? step : `${step}@${node}`
    );
    throw new RefusedError(
      `Cannot take the place of run "${old}": nobody knows the end of ${
        places.join(", ")
      }`,
      { hint: `Find it out with: osctl runbook resume ${old}` },
    );
  }
  for (const { message } of residueList(history.residue)) {
    note(`Run "${old}" leaves behind: ${message}`);
  }
  await journal.append({
    t: "run.end",
    d: {
      state: "cancelled",
      status: exitStatus.failed,
      failure: {
        step: "",
        code: "cancelled",
        message: `${operator} has put run "${by}" in its place`,
      },
    },
  });
}
