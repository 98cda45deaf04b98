/** How far a run is: what its journal says, and what its events add while it continues. */

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
  /** `queued`, `running`, `waiting`, `interrupted`, or how it ended. */
  readonly state: string;
  /** Step it is at, or failed at; null before the first. */
  readonly step: string | null;
  /** Kind of failure; null when it has not failed. */
  readonly code: string | null;
  /** What it waits for, what was reported last, or why it failed; null when nothing was reported. */
  readonly message: string | null;
  /** When it came to the step, ISO 8601; null when that is not known, or it has ended. */
  readonly since: string | null;
  /** Time it took, in milliseconds; null while it has not ended. */
  readonly tookMs: number | null;
  /** Role; null when it was not told. */
  readonly role: string | null;
  /** Version when the run started; null when it was not told. */
  readonly from: string | null;
  /** Version now, or at the end of the run; null when it was not told. */
  readonly to: string | null;
}

/** A step of the runbook. */
export interface StatusStage {
  readonly path: string;
  /** `next` before it begins, or how it is. */
  readonly state: RunShown["stages"][number]["state"];
  /** Path of what is running in it outside of fan-outs; null when nothing does. */
  readonly at: string | null;
  /** What it waits for, or what was reported last; null when nothing was reported. */
  readonly message: string | null;
  /** When that began, ISO 8601; null before it began. */
  readonly since: string | null;
  /** True when it holds a fan-out. */
  readonly fanOut: boolean;
}

/** A question that is not answered yet. */
interface StatusQuestion {
  readonly tag: string;
  readonly message: string;
  /** True when data may be lost by what is approved. */
  readonly destructive: boolean;
  /** What has to be typed; null when nothing has. */
  readonly typed: string | null;
  readonly command: string;
}

interface StatusAnswer {
  readonly path: string;
  /** Whether it may continue. */
  readonly approved: boolean;
  /** Who answered: user and host. */
  readonly by: string;
  /** When, ISO 8601. */
  readonly at: string;
}

/** How far a run is. */
export interface RunStatusRow {
  readonly run: string;
  readonly runbook: string;
  readonly cluster: string;
  /** Context it was started with. */
  readonly context: string;
  /** Who began it: user and host. */
  readonly operator: string;
  /** `running`, `waiting`, `stopping`, `interrupted`, or how it ended. */
  readonly state: string;
  /** Exit status; null while it has not ended. */
  readonly status: number | null;
  /** What the run as a whole waits for; null when it does not. */
  readonly reason: string | null;
  /** When it began, ISO 8601. */
  readonly startedAt: string;
  /** When it ended, ISO 8601; null while it has not. */
  readonly endedAt: string | null;
  /** When it last wrote something down, ISO 8601. */
  readonly lastAt: string;
  /** Steps of the runbook; empty when nothing was reported about them. */
  readonly stages: readonly StatusStage[];
  /** Budgets of the fan-outs that were started; empty when nothing was reported about them. */
  readonly fanOuts: readonly FanOutShown[];
  /** Nodes of fan-outs, in their order. */
  readonly nodes: readonly StatusNode[];
  /** Nodes that a run which stops still waits for, and the step each continues to. */
  readonly finishing: readonly {
    readonly node: string;
    readonly until: string;
  }[];
  /** Questions that are not answered yet. */
  readonly asked: readonly StatusQuestion[];
  /** Answers that were given after the run ended, for when it continues. */
  readonly answered: readonly StatusAnswer[];
  /** What was sent to nodes and has no end on record; under way while the run continues. */
  readonly inDoubt: readonly {
    readonly step: string;
    readonly node: string | null;
    readonly operation: string;
    readonly acknowledged: boolean;
  }[];
  /** Steps an operator has omitted. */
  readonly skipped: RunReport["skipped"];
  /** What was left behind on nodes. */
  readonly residue: readonly Residue[];
  /** Step outside of fan-outs that failed, or why the run was stopped; null when it ended well, or has not ended. */
  readonly failure: NonNullable<RunReport["failure"]> | null;
  /** Steps of `rescue` and `always` that failed. */
  readonly cleanup: NonNullable<RunReport["cleanup"]>;
  readonly artifacts: readonly string[];
  /** Values of `outputs`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Command that continues; null when a process does, or there is nothing to continue with. */
  readonly next: string | null;
}

interface StatusParts {
  readonly run: ListedRun;
  /** What it does; absent when that cannot be read any more. */
  readonly runbook: Runbook | undefined;
  readonly shown: RunShown;
  readonly artifacts: readonly string[];
}

/** Puts together how far a run is. */
export function statusRow(parts: StatusParts): RunStatusRow {
  const { run, shown, artifacts } = parts;
  const { header, history, held } = run;
  const end = findEnd(run);
  return {
    run: header.id,
    runbook: header.runbook,
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

/** What the last record says of a run that no process has. */
function findEnd(
  { history, held }: ListedRun,
): Partial<Pick<RunReport, "status" | "failure" | "cleanup" | "outputs">> {
  return held ? {} : history.end ?? {};
}

function toStage(
  { path, state, at, text, since, fanOut }: RunShown["stages"][number],
  held: boolean,
): StatusStage {
  return {
    path,
    state,
    at: held && at !== "" ? at : null,
    message: held && text !== "" ? text : null,
    since: since === undefined ? null : new Date(since).toISOString(),
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
    const isOn = run.held && now?.since !== undefined;
    return {
      node,
      path,
      state: formatState(target, run.held, goesOn, now?.state),
      step: step ?? (now?.step || null),
      code: code ?? null,
      message: message ?? (now?.text || null),
      since: isOn ? new Date(now.since).toISOString() : null,
      tookMs: tookMs ?? null,
      role: one?.role ?? null,
      from: before[node] || (one?.from ?? null),
      to: one?.to ?? null,
    };
  });
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
