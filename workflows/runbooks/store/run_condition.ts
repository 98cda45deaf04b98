import type { RunState } from "../event.ts";
import { ConfigError } from "../../../errors.ts";
import type { OpenIntent, RunHistory } from "../journal/history.ts";
import { isOpen, splitKey } from "../journal/resume_state.ts";
import {
  journalSize,
  type ListedRun,
  readRun,
  runFolder,
} from "./run_folder.ts";
import { isHeld } from "./run_lock.ts";

/** State of a run, as far as files show it. */
export type RunCondition =
  | RunState
  /** A process is running it. */
  | "running";

/** All states of a run. */
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

/** Finds the state of a run. */
export function findCondition(
  { history, held }: Pick<ListedRun, "history" | "held">,
): RunCondition {
  if (held) return "running";
  return history.end?.state ?? "interrupted";
}

/** State of a run, and since when, in milliseconds since 1970; absent while a process is running it. */
export interface RunMoment {
  readonly condition: RunCondition;
  /** When its last process recorded the end, or its last record. */
  readonly at?: number;
}

/**
 * Makes a reader of a run's state, for polling: its journal is only read when it has grown.
 *
 * @returns Gives the same object while nothing has changed. Throws `ConfigError` if the run cannot be read.
 */
export function conditionReader(
  runs: string,
  id: string,
): () => Promise<RunMoment> {
  const folder = runFolder(runs, id);
  const running: RunMoment = { condition: "running" };
  let known: { readonly size: number; readonly moment: RunMoment } | undefined;
  return async () => {
    if (await isHeld(folder)) return running;
    const size = await journalSize(folder);
    if (known?.size !== size) {
      const { history, header } = await readRun(runs, id);
      const condition = findCondition({ history, held: false });
      const at = Date.parse(history.endedAt || history.lastAt || header.at);
      known = { size, moment: { condition, at } };
    }
    return known.moment;
  };
}

/**
 * Command that resumes a run.
 *
 * @returns `undefined` when a process is running it, or there is nothing to resume.
 */
export function nextCommand(
  run: Pick<ListedRun, "header" | "history" | "held">,
): string | undefined {
  if (run.held || !isResumable(run)) return undefined;
  return `osctl runbook resume ${run.header.id}`;
}

/** A request to a node without a recorded result. */
export interface InDoubt extends Pick<OpenIntent, "operation"> {
  readonly step: string;
  /** Node; absent outside fan-outs. */
  readonly node?: string;
  readonly acknowledged: boolean;
}

/** Lists requests without a recorded result. */
export function listInDoubt(history: RunHistory): readonly InDoubt[] {
  return [...history.instances].flatMap(([key, known]) => {
    const { intent } = known;
    if (intent === undefined || !isOpen(known)) return [];
    const { path, node } = splitKey(key);
    const { operation, acknowledged } = intent;
    return [{
      step: path,
      ...(node === "" ? {} : { node }),
      operation,
      acknowledged,
    }];
  });
}

/** State that decides whether a run can be resumed and locks its cluster. */
interface EndedRun extends Pick<RunHistory, "start" | "instances"> {
  readonly end: { readonly state: RunState } | undefined;
}

/** States after which a run cannot be resumed. */
const closed: ReadonlySet<RunState> = new Set(["succeeded", "cancelled"]);

const finished: ReadonlySet<RunState> = new Set([
  "succeeded",
  "partial",
  "cancelled",
]);

/** Reports whether a run can be resumed. A `partial` run retries failed nodes; until then it does not lock its cluster. */
export function isResumable(
  { history }: { readonly history: Pick<EndedRun, "end"> },
): boolean {
  return !isIn(closed, history);
}

/** States of runs that failed or were refused. */
const failed: ReadonlySet<RunState> = new Set(["failed", "blocked", "refused"]);

/** Reports whether a run locks its cluster until it is resumed; one that failed before its first request does not. */
export function isUnfinished(
  { history }: { readonly history: EndedRun },
): boolean {
  return history.start !== undefined && !isOver(history);
}

function isOver(history: Omit<EndedRun, "start">): boolean {
  if (isIn(finished, history)) return true;
  const isSent = [...history.instances.values()].some(({ intent }) => intent);
  return !isSent && isIn(failed, history);
}

/**
 * Reports whether a run of this machine no longer locks its cluster; a claim it left does not count.
 *
 * @param id Id of the run, which may be from another machine.
 */
export async function hasEnded(runs: string, id: string): Promise<boolean> {
  try {
    const { history, held } = await readRun(runs, id);
    return !held && isOver(history);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function isIn(
  states: ReadonlySet<RunState>,
  { end }: Pick<EndedRun, "end">,
): boolean {
  return end !== undefined && states.has(end.state);
}
