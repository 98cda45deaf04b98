/** Aborts a run: it cannot be resumed, and its residue stays. */

import { ConfigError, exitStatus } from "../../../errors.ts";
import { isUnfinished } from "./run_condition.ts";
import type { RunHistory } from "../journal/history.ts";
import type { MessageSender } from "./inbox.ts";
import { openJournal } from "./run_folder.ts";

interface AbortOptions {
  readonly runs: string;
  readonly id: string;
  /** Who aborts it, when and why. */
  readonly sender: MessageSender;
  readonly now: () => Date;
}

/**
 * Records that a run is aborted.
 *
 * @returns Its history before that.
 * @throws {ConfigError} If there is no such run, it has finished, or its journal is damaged.
 * @throws {LockedError} If a process is running it.
 */
export async function abortRun(
  { runs, id, sender: { by, reason }, now }: AbortOptions,
): Promise<RunHistory> {
  using open = await openJournal(runs, id, now);
  const { history, journal } = open;
  if (history.start !== undefined && !isUnfinished(open)) {
    throw new ConfigError(`Run "${id}" has already finished`, {
      hint: `See: osctl runbook status ${id}`,
    });
  }
  const why = reason === undefined ? "" : `: ${reason}`;
  await journal.append({
    type: "run.end",
    data: {
      state: "cancelled",
      status: exitStatus.failed,
      failure: {
        step: "",
        code: "cancelled",
        message: `${by} aborted the run${why}`,
      },
    },
  });
  return history;
}

/** Reports whether a run may have a claim on its cluster. */
export function mayClaim({ lease }: Pick<RunHistory, "lease">): boolean {
  const state = lease?.state;
  return state !== undefined && state !== "released" && state !== "without" &&
    state !== "removed";
}
