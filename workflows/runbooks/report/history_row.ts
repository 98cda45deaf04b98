import type { NodeState } from "../event.ts";
import { splitKey } from "../journal/resume_state.ts";
import {
  findCondition,
  nextCommand,
  type RunCondition,
} from "../store/run_condition.ts";
import type { SurveyedRun } from "../store/find_run.ts";

/** One run in a list of runs. */
export interface HistoryRow {
  readonly run: string;
  readonly runbook: string;
  readonly cluster: string;
  /** Context it was started with. */
  readonly context: string;
  /** Who began it: user and host. */
  readonly operator: string;
  /** How it is; `damaged` when its journal cannot be read. */
  readonly state: RunCondition | "damaged";
  /** Exit status; null while it has not ended. */
  readonly status: number | null;
  /** When it began, ISO 8601. */
  readonly startedAt: string;
  /** When it ended, ISO 8601; null while it has not. */
  readonly endedAt: string | null;
  /** Time it took, in milliseconds; until now while it continues, until its last sign when it was interrupted. */
  readonly tookMs: number;
  /** How many nodes ended well in every fan-out they began, each counted once. */
  readonly done: number;
  /** How many nodes ended badly in a fan-out, each counted once. */
  readonly failed: number;
  /** Command that resumes it; null when there is nothing to continue with. */
  readonly next: string | null;
}

const bad: ReadonlySet<NodeState | undefined> = new Set([
  "failed",
  "recovered",
  "blocked",
]);

/** Makes the row of a run. */
export function historyRow(
  { header, run }: SurveyedRun,
  now: Date,
): HistoryRow {
  const { id, runbook, cluster, context, operator, at } = header;
  const head = {
    run: id,
    runbook,
    cluster: cluster.name,
    context,
    operator,
    startedAt: at,
  };
  if (run === undefined) {
    const ends = { status: null, endedAt: null, tookMs: 0, next: null };
    return { ...head, state: "damaged", ...ends, done: 0, failed: 0 };
  }
  const { history, held } = run;
  const { end, endedAt, lastAt } = history;
  const until = held
    ? now.getTime()
    : Date.parse(endedAt === "" ? lastAt || at : endedAt);
  const states = [
    ...Map.groupBy(history.nodes, ([key]) => splitKey(key).node).values(),
  ].map((all) => all.map(([, { state }]) => state));
  return {
    ...head,
    state: findCondition(run),
    status: held || end === undefined ? null : Number(end.status),
    endedAt: held || endedAt === "" ? null : endedAt,
    tookMs: Math.max(0, until - Date.parse(at)),
    done: states.filter((all) => all.every((one) => one === "done")).length,
    failed: states.filter((all) => all.some((one) => bad.has(one))).length,
    next: nextCommand(run) ?? null,
  };
}
