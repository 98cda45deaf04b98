/** How a run is, as its folder tells it. */

import type { RunState } from "../event.ts";
import { canGoOn } from "../lock/local_lock.ts";
import type { OpenIntent, RunHistory } from "../journal/history.ts";
import { isOpen, partsOf } from "../journal/resume_state.ts";
import type { ListedRun } from "./run_folder.ts";

/** How a run is. */
export type RunCondition =
  | RunState
  /** A process goes on with it. */
  | "running"
  /** Its process is gone without having written down an end. */
  | "interrupted";

/** All that a run can be. */
export const conditions = [
  "running",
  "interrupted",
  "succeeded",
  "partial",
  "failed",
  "blocked",
  "stopped",
  "waiting-approval",
  "refused",
  "cancelled",
] as const satisfies readonly RunCondition[];

/** How a run is. */
export function conditionOf(
  { history, held }: Pick<ListedRun, "history" | "held">,
): RunCondition {
  if (held) return "running";
  // Written by `run.ts` of the engine.
  return history.end?.state as RunState | undefined ?? "interrupted";
}

/**
 * Command that goes on with a run.
 *
 * @returns `undefined` when a process goes on with it, or there is nothing to go on with.
 */
export function nextCommand(
  run: Pick<ListedRun, "header" | "history" | "held">,
): string | undefined {
  if (run.held || !canGoOn(run)) return undefined;
  return `osctl runbook resume ${run.header.id}`;
}

/** Something that was sent to a node, and whose end is not written down. */
export interface InDoubt extends Pick<OpenIntent, "operation"> {
  /** Path of the step. */
  readonly step: string;
  /** Node; absent for steps outside of fan-outs. */
  readonly node?: string;
  /** Whether the node took it. */
  readonly acknowledged: boolean;
}

/** What was sent and has not ended, as far as is written down. */
export function inDoubtOf(history: RunHistory): readonly InDoubt[] {
  return [...history.instances].flatMap(([key, known]) => {
    const { intent } = known;
    if (intent === undefined || !isOpen(known)) return [];
    const { path, node } = partsOf(key);
    const { operation, acknowledged } = intent;
    return [{
      step: path,
      ...(node === "" ? {} : { node }),
      operation,
      acknowledged,
    }];
  });
}
