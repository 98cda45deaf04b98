/** Status of a run: its journal, plus its events while it is running. */

import type { Json } from "../../../lib/json.ts";
import type { Residue, RunReport } from "../event.ts";
import type { OpenQuestion } from "../journal/history.ts";
import { residueList } from "../journal/residue.ts";
import type { Runbook } from "../runbook.ts";
import {
  findCondition,
  listInDoubt,
  nextCommand,
} from "../store/run_condition.ts";
import type { ListedRun } from "../store/run_folder.ts";
import {
  measureInterrupted,
  neededTargets,
  type RunTarget,
  versionsAtStart,
} from "../journal/targets.ts";
import { listSkipped } from "../journal/resume_state.ts";
import type { FanOutShown } from "./fan_out_state.ts";
import { inCondition, type RunShown } from "./run_state.ts";

/** A node of a run. */
export interface StatusNode {
  readonly node: string;
  readonly path: string;
  /** `queued`, `running`, `waiting`, `interrupted`, or its result. */
  readonly state: string;
  /** Current or failed step; null before the first. */
  readonly step: string | null;
  /** Activity of that step: `draining`; null if unknown. */
  readonly doing: string | null;
  /** Kind of failure; null if it has not failed. */
  readonly code: string | null;
  /** Reason for waiting, last report, or reason of the failure; null if nothing was reported. */
  readonly message: string | null;
  /** Start of the step, ISO 8601; null if unknown, or when finished. */
  readonly since: string | null;
  /** End of its wait, ISO 8601; null if unknown. */
  readonly until: string | null;
  /** Start of the fan-out on this node, ISO 8601; null if unknown, or when finished. */
  readonly startedAt: string | null;
  /** Duration in milliseconds; null until it finishes. */
  readonly tookMs: number | null;
  /** Role; null if not reported. */
  readonly role: string | null;
  /** Version at the start of the run; null if not reported. */
  readonly from: string | null;
  /** Current version, or that at the end of the run; null if not reported. */
  readonly to: string | null;
  /** True when a step may have changed the version, and none has read it since. */
  readonly versionUnknown: boolean;
}

/** A step of the runbook. */
export interface StatusStage {
  readonly path: string;
  /** Title; the id of a step that has none. */
  readonly title: string;
  /** `next` before it starts, or its state. */
  readonly state: RunShown["stages"][number]["state"];
  /** Path of the running step in it, outside fan-outs; null if none is running. */
  readonly at: string | null;
  /** Reason for waiting, or the last report; null if nothing was reported. */
  readonly message: string | null;
  /** When that started, ISO 8601; null before. */
  readonly since: string | null;
  /** End of its wait, ISO 8601; null if unknown. */
  readonly until: string | null;
  /** True when it contains a fan-out. */
  readonly fanOut: boolean;
}

/** A pending question. */
interface StatusQuestion {
  readonly tag: string;
  readonly message: string;
  /** True when the step may lose data. */
  readonly destructive: boolean;
  /** Text to type for approval; null if none is required. */
  readonly typed: string | null;
  readonly command: string;
}

interface StatusAnswer {
  readonly path: string;
  /** True if approved, false if refused. */
  readonly approved: boolean;
  /** User and host that answered. */
  readonly by: string;
  /** When, ISO 8601. */
  readonly at: string;
}

/** Status of a run. */
export interface RunStatusRow {
  readonly run: string;
  readonly runbook: string;
  /** Title of the runbook; empty if not reported. */
  readonly title: string;
  readonly cluster: string;
  readonly context: string;
  /** User and host that started it. */
  readonly operator: string;
  /** `running`, `waiting`, `stopping`, `interrupted`, or its result. */
  readonly state: string;
  /** Exit status; null until it finishes. */
  readonly status: number | null;
  /** Reason why the whole run waits; null if it does not. */
  readonly reason: string | null;
  /** Start, ISO 8601. */
  readonly startedAt: string;
  /** End, ISO 8601; null until then. */
  readonly endedAt: string | null;
  /** Time of its last record, ISO 8601. */
  readonly lastAt: string;
  /** Steps of the runbook; empty if not reported. */
  readonly stages: readonly StatusStage[];
  /** Fan-outs with their budgets, as far as their nodes are known; empty if not reported. */
  readonly fanOuts: readonly FanOutShown[];
  /** Nodes of fan-outs, in order. */
  readonly nodes: readonly StatusNode[];
  /** Nodes that a stopping run still waits for, and the step to which each continues. */
  readonly finishing: readonly {
    readonly node: string;
    readonly until: string;
    /** Activity of that step; absent if unknown. */
    readonly doing?: string;
  }[];
  /** Pending questions. */
  readonly asked: readonly StatusQuestion[];
  /** Answers given after the run stopped, for its resume. */
  readonly answered: readonly StatusAnswer[];
  /** Requests to nodes without a recorded result; in progress while the run is running. */
  readonly inDoubt: readonly {
    readonly step: string;
    readonly node: string | null;
    readonly operation: string;
    readonly acknowledged: boolean;
  }[];
  /** Steps that an operator has skipped. */
  readonly skipped: RunReport["skipped"];
  /** Residue on nodes. */
  readonly residue: readonly Residue[];
  /** Step outside fan-outs that failed, or the reason why the run was stopped; null if it succeeded, or is unfinished. */
  readonly failure: NonNullable<RunReport["failure"]> | null;
  /** Steps of `rescue` and `always` that failed. */
  readonly cleanup: NonNullable<RunReport["cleanup"]>;
  readonly artifacts: readonly string[];
  /** Values of `outputs`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Command that resumes the run; null when a process is running it, or there is nothing to resume. */
  readonly next: string | null;
}

interface StatusParts {
  readonly run: ListedRun;
  /** The runbook; absent if it can no longer be read. */
  readonly runbook: Runbook | undefined;
  readonly shown: RunShown;
  readonly artifacts: readonly string[];
}

/** Makes the status of a run. */
export function statusRow(parts: StatusParts): RunStatusRow {
  const { run, shown, artifacts } = parts;
  const { header, history, held } = run;
  const end = findEnd(run);
  return {
    run: header.id,
    runbook: header.runbook,
    title: shown.title,
    cluster: header.cluster.name,
    context: header.context,
    operator: header.operator,
    state: held
      ? inCondition(shown, { condition: "running" }).state
      : findCondition(run),
    status: end.status ?? null,
    reason: held && shown.reason !== "" ? shown.reason : null,
    startedAt: history.startedAt || header.at,
    endedAt: held ? null : history.endedAt || null,
    lastAt: history.lastAt || header.at,
    stages: shown.stages.map((stage) => toStage(stage, held)),
    fanOuts: shown.fanOuts,
    nodes: listNodes(parts),
    finishing: held ? shown.stopping ?? [] : [],
    asked: [...history.asked.values()]
      .map((question) => toQuestion(header.id, question)),
    answered: listAnswers(run),
    inDoubt: listInDoubt(history).map((one) => ({
      ...one,
      node: one.node ?? null,
    })),
    skipped: listSkipped(history),
    residue: residueList(history.residue),
    failure: end.failure ?? null,
    cleanup: end.cleanup ?? [],
    artifacts,
    outputs: end.outputs ?? {},
    next: nextCommand(run) ?? null,
  };
}

/** Result in the last record of a run that is not running. */
function findEnd(
  { history, held }: ListedRun,
): Partial<Pick<RunReport, "status" | "failure" | "cleanup" | "outputs">> {
  return held ? {} : history.end ?? {};
}

function toStage(
  { path, title, state, at, text, since, until, fanOut }: RunShown["stages"][
    number
  ],
  held: boolean,
): StatusStage {
  return {
    path,
    title,
    state,
    at: held && at !== "" ? at : null,
    message: held && text !== "" ? text : null,
    since: formatTime(since),
    until: formatTime(until),
    fanOut,
  };
}

function listAnswers({ history, held }: ListedRun): readonly StatusAnswer[] {
  const ended = Date.parse(history.endedAt);
  if (held || Number.isNaN(ended)) return [];
  return [...history.approvals].flatMap(([path, { approved, by, at }]) =>
    at > ended ? [{ path, approved, by, at: new Date(at).toISOString() }] : []
  );
}

function toQuestion(
  run: string,
  { tag, message, destructive, typed }: OpenQuestion,
): StatusQuestion {
  return {
    tag,
    message,
    destructive,
    typed: destructive ? typed ?? tag : null,
    command: `osctl runbook approve ${run} ${tag}`,
  };
}

function listNodes(
  { run, runbook, shown }: StatusParts,
): readonly StatusNode[] {
  if (runbook === undefined) return [];
  const reported = new Map(shown.nodes.map((one) => [one.node, one]));
  const goesOn = run.held || nextCommand(run) !== undefined;
  const before = versionsAtStart(run.history);
  return neededTargets(runbook, run.history).map((target) => {
    const { node, path, step, code, message, tookMs } = target;
    const one = reported.get(node);
    const now = one?.path === path && target.state === "inside"
      ? one
      : undefined;
    const interruptedMs = target.state === "inside" && !run.held
      ? measureInterrupted(run.history, target)
      : undefined;
    const isOn = run.held && now?.since !== undefined;
    return {
      node,
      path,
      state: formatState(target, run.held, goesOn, now?.state),
      step: step ?? (now?.step || null),
      doing: one?.doing || null,
      code: code ?? null,
      message: message ?? (now?.text || null),
      since: isOn ? formatTime(now.since) : null,
      until: isOn ? formatTime(now.until) : null,
      startedAt: isOn ? formatTime(now.startedAt) : null,
      tookMs: tookMs ?? interruptedMs ?? null,
      role: one?.role ?? null,
      from: before[node] || (one?.from ?? null),
      to: one?.to ?? null,
      versionUnknown: one?.isVersionUnknown ?? false,
    };
  });
}

function formatTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function formatState(
  { state }: RunTarget,
  held: boolean,
  goesOn: boolean,
  reported: string | undefined,
): string {
  if (state === "queued") return goesOn ? "queued" : "not-reached";
  if (state !== "inside") return state;
  if (!held) return "interrupted";
  return reported === "waiting" ? "waiting" : "running";
}
