import type {
  NodeReport,
  NodeState,
  RunReport,
  RunState,
  TargetReport,
} from "../event.ts";
import { lineText } from "../../../terminal/screen_line.ts";
import { isWhole, oncePerNode } from "../journal/targets.ts";
import {
  findId,
  formatDuring,
  formatStage,
  type StepWords,
} from "./activity.ts";
import { listNext, reportText, skipText } from "./report_text.ts";
import type { RunShown } from "./run_state.ts";
import { type DrawnLine, drawRun, foldLine } from "./run_screen.ts";
import type { RunStatusRow, StatusNode, StatusStage } from "./status_row.ts";

/**
 * Formats the status of a run. It ends with the command that resumes it, if any.
 *
 * @param now The present, in milliseconds since 1970.
 * @returns Text with newlines; it may contain text from nodes.
 */
export function statusText(
  row: RunStatusRow,
  columns: number,
  now: number,
): string {
  const part = (heading: string, lines: readonly string[]) =>
    section(heading, lines, columns);
  const words = findWords(row);
  const ended = row.endedAt === null
    ? [
      drawRow(row, columns, now).map(lineText).join("\n"),
      part("Skipped", row.skipped.map((one) => skipText(one, words))),
      part(
        isOn(row) ? "In progress" : "Left on nodes",
        row.residue.map(({ message }) => message),
      ),
    ]
    : [
      reportText({ ...toReport(row, row.endedAt), words }, columns).trimEnd(),
    ];
  const texts = [
    ...ended,
    part("Waiting for approval", renderQuestions(row)),
    part("Answered in the meantime", renderAnswers(row, words)),
    part("In doubt", isOn(row) ? [] : renderSent(row, words)),
    ...listNext(row).map((lines) => lines.join("\n")),
  ];
  return texts.filter((text) => text !== "").map((text) => `${text}\n`)
    .join("\n");
}

/** Words for the steps that a status names. */
function findWords({ stages, nodes, inDoubt }: RunStatusRow): StepWords {
  const known = nodes.flatMap(({ node, step, doing }) =>
    step === null || doing === null ? [] : [{ node, step, doing }]
  );
  return {
    titles: new Map(stages.map(({ path, title }) => [path, title])),
    activities: new Map([
      ...known.map(({ step, doing }) => [step, doing] as const),
      // Steps that have not finished are known by their ids.
      ...inDoubt.flatMap(({ step, node }) => {
        const one = known.find((one) =>
          one.node === node && one.step === findId(step)
        );
        return one === undefined ? [] : [[step, one.doing] as const];
      }),
    ]),
  };
}

const live: ReadonlySet<string> = new Set(["running", "waiting", "stopping"]);

function isOn({ state }: RunStatusRow): boolean {
  return live.has(state);
}

function drawRow(
  row: RunStatusRow,
  columns: number,
  now: number,
): readonly DrawnLine[] {
  const { run, runbook, title, cluster, state, startedAt, lastAt } = row;
  const shown: RunShown = {
    run,
    runbook,
    title,
    cluster,
    state,
    reason: row.reason ?? "",
    startedAt: Date.parse(startedAt),
    ...isOn(row) ? {} : { ended: Date.parse(lastAt) },
    stages: row.stages.map(toStageShown),
    fanOuts: row.fanOuts,
    nodes: oncePerNode(row.nodes).map(toNodeShown),
    ...state === "stopping" ? { stopping: row.finishing } : {},
    // They are reported with the text to type.
    asked: [],
  };
  return drawRun(shown, { columns, rows: Infinity }, now);
}

function toStageShown(
  { path, title, state, at, message, since, until, fanOut }: StatusStage,
): RunShown["stages"][number] {
  const began = {
    ...since !== null && { since: Date.parse(since) },
    ...until !== null && { until: Date.parse(until) },
  };
  const text = message ?? "";
  return { path, title, state, at: at ?? "", text, fanOut, ...began };
}

function toNodeShown(
  { node, path, state, step, doing, code, message, versionUnknown, ...one }:
    StatusNode,
): RunShown["nodes"][number] {
  const { since, startedAt, until, tookMs, ...about } = one;
  const time = tookMs !== null ? { startedAt: 0, ended: tookMs } : {
    ...since !== null && { since: Date.parse(since) },
    ...startedAt !== null && { startedAt: Date.parse(startedAt) },
    ...until !== null && { until: Date.parse(until) },
  };
  return {
    node,
    path,
    state,
    step: step?.slice(step.lastIndexOf("/") + 1) ?? "",
    doing: doing ?? "",
    text: message ?? code ?? "",
    ...versionUnknown && { isVersionUnknown: true },
    ...time,
    ...pickKnown(about),
  };
}

function pickKnown(
  { role, from, to }: Pick<StatusNode, "role" | "from" | "to">,
): Pick<NodeReport, "role" | "from" | "to"> {
  return {
    ...role === null ? {} : { role },
    ...from === null ? {} : { from },
    ...to === null ? {} : { to },
  };
}

function toReport(row: RunStatusRow, endedAt: string): RunReport {
  const { failure, cleanup, nodes } = row;
  const untouched = new Set(["queued", "not-reached"]);
  const started = new Set(
    nodes.flatMap(({ path, state }) => untouched.has(state) ? [] : [path]),
  );
  const { run, runbook, cluster, startedAt, skipped } = row;
  return {
    run,
    runbook,
    cluster,
    // It has finished.
    state: row.state as RunState,
    status: row.status ?? 0,
    startedAt,
    endedAt,
    targets: nodes.filter(({ path }) => started.has(path))
      .map((node) => toTarget(node, row.state)),
    nodes: oncePerNode(
      nodes.filter(({ path }) => started.has(path) || !isWhole(row.state))
        .map((node) => ({
          ...toTarget(node, row.state),
          ...pickKnown(node),
        })),
    ),
    ...failure === null ? {} : { failure },
    ...cleanup.length === 0 ? {} : { cleanup },
    skipped,
    residue: row.residue,
    artifacts: row.artifacts,
    outputs: row.outputs,
  };
}

function toTarget(
  { node, path, state, step, code, message, tookMs }: StatusNode,
  ended: string,
): TargetReport {
  return {
    node,
    path,
    state: ends[`${state} ${ended}`] ?? ends[state] ?? state as NodeState,
    ...step === null ? {} : { step },
    ...code === null ? {} : { code },
    ...message === null ? {} : { message },
    ...tookMs === null ? {} : { tookMs },
  };
}

/** States of the report for unfinished nodes. */
const ends: Readonly<Record<string, NodeState>> = {
  queued: "not-reached",
  // They cannot be resumed.
  "interrupted cancelled": "failed",
};

function renderQuestions({ asked }: RunStatusRow): readonly string[] {
  return asked.flatMap(({ tag, message, typed, command }) => [
    `${tag}: ${flat(message)}`,
    typed === null ? `  ${command}` : `  ${command} --typed ${typed}`,
  ]);
}

function renderAnswers(
  { answered }: RunStatusRow,
  words: StepWords,
): readonly string[] {
  return answered.map(({ path, approved, by, at }) =>
    `${formatStage(path, words)}: ${
      approved ? "approved" : "refused"
    } by ${by}, ${at}`
  );
}

/** Formats requests in doubt. A run that is blocked by them has already checked the node, so that a person has to decide. */
function renderSent(
  { run, state, inDoubt }: RunStatusRow,
  words: StepWords,
): readonly string[] {
  return inDoubt.flatMap(({ step, node, operation, acknowledged }) => {
    const where = node === null
      ? formatStage(step, words)
      : `${node} ${formatDuring(step, words)}`;
    const taken = acknowledged
      ? "accepted by the node"
      : "may not have been accepted";
    const place = node === null ? step : `${step}@${node}`;
    return [
      `${where}: ${operation}, ${taken}`,
      ...state === "blocked"
        ? [`  osctl runbook resume ${run} --resolve ${place}=<done|redo|skip>`]
        : [],
    ];
  });
}

function section(
  heading: string,
  lines: readonly string[],
  columns: number,
): string {
  return lines.length === 0
    ? ""
    : [heading, ...lines.flatMap((line) => foldLine(`  ${line}`, columns))]
      .join("\n");
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
