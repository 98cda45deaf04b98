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

/** How a run is. */
export type RunCondition =
  | RunState
  /** A process resumes it. */
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
export function findCondition(
  { history, held }: Pick<ListedRun, "history" | "held">,
): RunCondition {
  if (held) return "running";
  return history.end?.state ?? "interrupted";
}

/** How a run is, and since when it is that, in milliseconds since 1970; absent while a process has it. */
export interface RunMoment {
  readonly condition: RunCondition;
  /** When its last process wrote down the end, or anything at all. */
  readonly at?: number;
}

/**
 * Makes what reads how a run is, for those who ask again and again: its journal is read only when it has grown.
 *
 * @returns Gives the same value as long as nothing has changed. Throws `ConfigError` if the run cannot be read.
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
 * @returns `undefined` when a process resumes it, or there is nothing to continue with.
 */
export function nextCommand(
  run: Pick<ListedRun, "header" | "history" | "held">,
): string | undefined {
  if (run.held || !isResumable(run)) return undefined;
  return `osctl runbook resume ${run.header.id}`;
}

/** Something that was sent to a node, and whose end is not written down. */
export interface InDoubt extends Pick<OpenIntent, "operation"> {
  readonly step: string;
  /** Node; absent for steps outside of fan-outs. */
  readonly node?: string;
  /** Whether the node accepted it. */
  readonly acknowledged: boolean;
}

/** What was sent and has not ended, as far as is written down. */
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

/** What a run is resumed by, and locks its cluster by. */
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

/** Whether a run can be resumed. One that ended `partial` tries failed nodes again; it locks out no other run until then. */
export function isResumable(
  { history }: { readonly history: Pick<EndedRun, "end"> },
): boolean {
  return !isIn(closed, history);
}

/** States of runs that ended by themselves, or by a refusal. */
const failed: ReadonlySet<RunState> = new Set(["failed", "blocked", "refused"]);

/** Whether a run locks its cluster until it is resumed; one that failed before anything was sent does not. */
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
 * Whether a run of this machine is known to lock out no other any more; a claim it left does not count.
 *
 * @param id Id of the run, which may be one of another machine.
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
