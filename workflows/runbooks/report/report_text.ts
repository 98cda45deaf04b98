import { formatCount } from "../../../lib/text/count.ts";
import type {
  NodeReport,
  NodeState,
  RunReport,
  RunState,
  TargetReport,
} from "../event.ts";
import {
  progressParts,
  progressTone,
  type Tone,
  type TonedPart,
} from "../../../terminal/tone.ts";
import { nodeRows, versionText } from "../../operations/node_rows.ts";
import {
  formatDuring,
  formatStage,
  formatStep,
  plainReason,
  type StepWords,
} from "./activity.ts";
import { foldLine } from "./run_screen.ts";
import { oncePerNode } from "../journal/targets.ts";
import { type Buckets, fillBuckets, nodeStates } from "./buckets.ts";
import { between, spanText } from "./span.ts";

/** Maximum length of a line of names, unless the terminal is narrower. */
const widest = 100;

/** Indentation of the lines of a section, doubled for continued names. */
const indent = "  ";

const mostNames = 50;

/** Words of a report whose events are not known. */
const noWords: StepWords = { titles: new Map(), activities: new Map() };

interface ReportPlace {
  readonly words: StepWords;
  readonly width: number;
  /** Command that prints all names. */
  readonly all: string;
}

/**
 * Formats the final report. It ends with the command that resumes the run, if any.
 *
 * @param columns Width of the terminal; default any.
 * @returns Text with newlines; it may contain text from nodes.
 */
export function reportText(
  report: RunReport & { readonly words?: StepWords },
  columns = Infinity,
): string {
  const { words = noWords } = report;
  const place = {
    words,
    width: Math.min(widest, columns - 2 * indent.length),
    all: `osctl runbook status ${report.run} -o json`,
  };
  const buckets = fillBuckets(listNodes(report));
  const parts = [
    head(report, buckets, words),
    ...nodeStates.map((state) =>
      section(headings[state], formatLines(state, buckets, report, place))
    ),
    section(
      "Failed in rescue or always",
      (report.cleanup ?? []).map((one) => cleanupText(one, words)),
    ),
    section(
      "Joined since the plan; not touched",
      names(report.joined ?? [], place),
    ),
    section(
      "Left on nodes",
      report.residue.map(({ message }) => flat(message)),
    ),
    section("Files", report.artifacts),
    section(
      "Outputs",
      Object.entries(report.outputs).map(([name, value]) =>
        `${name}: ${
          typeof value === "string" ? flat(value) : JSON.stringify(value)
        }`
      ),
    ),
    section("Before resuming", firstChecks(report, buckets, place)),
    ...listNext(report),
  ];
  const fitting = (line: string) =>
    line.length > columns ? foldLine(line, columns) : [line];
  return parts.filter(({ length }) => length > 0)
    .map((lines) => lines.flatMap(fitting).map((line) => `${line}\n`).join(""))
    .join("\n");
}

/** What has to be checked on nodes before the run can be resumed. */
function firstChecks(
  { state }: RunReport,
  { failed }: Buckets,
  place: ReportPlace,
): readonly string[] {
  const away = failed.filter(({ code }) => code === "never-returned");
  return state === "cancelled" || away.length === 0 ? [] : names(
    away.map(({ node }) => node),
    place,
    "Check the console and power of: ",
  );
}

/** How to continue a run: what to type is below its heading. */
export function listNext(
  { run, state, next }: {
    readonly run: string;
    readonly state: string;
    readonly next?: string | null;
  },
): readonly (readonly string[])[] {
  if (next === undefined || next === null) return [];
  const abort = ["Abort with", `osctl runbook abort ${run} --reason "…"`];
  return [
    ["Resume with", next],
    ...state === "interrupted" ? [abort] : [],
  ];
}

/** Result of a run by state, as the rest of a sentence that starts with the run. */
export const runEndings: Readonly<Record<RunState, string>> = {
  succeeded: "succeeded",
  partial: "finished, but some nodes failed",
  failed: "failed",
  blocked: "is blocked: a safety rule refused a step, or a step is in doubt",
  stopped: "stopped at a safe point",
  "waiting-approval": "is waiting for an approval",
  refused: "was not approved",
  interrupted: "was interrupted in the middle of its steps",
  cancelled: "was cancelled",
};

const headings: Readonly<Record<NodeState, string>> = {
  done: "Done",
  recovered: "Recovered: failed, but its rescue succeeded",
  failed: "Failed",
  blocked: "Blocked or in doubt",
  skipped: "Skipped",
  interrupted: "Interrupted in the middle of their steps",
  "not-reached": "Not reached",
};

const headingTones: ReadonlyMap<string, Tone> = new Map([
  [headings.done, "good"],
  [headings.recovered, "changing"],
  [headings.failed, "bad"],
  [headings.blocked, "bad"],
  [headings.interrupted, "changing"],
  ["Failed in rescue or always", "bad"],
  ["Left on nodes", "changing"],
  ["In doubt", "bad"],
]);

/** Parts of a line of a report with their tones: result, headings, and states. */
export function reportParts(line: string): readonly TonedPart[] {
  const style = headingTones.get(line);
  if (style !== undefined) return [{ text: line, style }];
  const found = findEnding(line);
  if (found === undefined) return progressParts(line);
  const [state, ending] = found;
  return [
    { text: line.slice(0, -ending.length) },
    { text: ending, style: progressTone(state) },
  ];
}

/** Result of the run whose report starts with this line. */
function findEnding(line: string) {
  return / on /.test(line)
    ? Object.entries(runEndings).find(([, text]) => line.endsWith(` ${text}`))
    : undefined;
}

const counted: Readonly<Record<NodeState, string>> = {
  done: "done",
  recovered: "recovered",
  failed: "failed",
  blocked: "blocked or in doubt",
  skipped: "skipped",
  interrupted: "interrupted",
  "not-reached": "not reached",
};

function head(
  report: RunReport,
  buckets: Buckets,
  words: StepWords,
): readonly string[] {
  const { run, runbook, cluster, state, status, startedAt, endedAt } = report;
  const total = listNodes(report).length;
  const counts = nodeStates.flatMap((one) => {
    const { length } = buckets[one];
    return length === 0 ? [] : [`${length} ${counted[one]}`];
  });
  const took = between(startedAt, endedAt);
  return [
    `${runbook} on ${cluster} ${runEndings[state]}`,
    `Run ${run}, status ${status}, ${formatMinute(startedAt)}, took ${took}`,
    ...total > 0 ? [`${formatCount(total, "node")}: ${counts.join(", ")}`] : [],
    ...report.failure === undefined ? [] : [
      failureText(report.failure, buckets, words),
    ],
  ];
}

/** Formats a time, ISO 8601, in UTC without its seconds. */
function formatMinute(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

function failureText(
  { step, ...why }: NonNullable<RunReport["failure"]>,
  { failed, blocked }: Buckets,
  words: StepWords,
): string {
  // Without a step nothing failed: the run was stopped, or waits.
  if (step === "") {
    const text = stopText(flat(why.message), words);
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  }
  // The lines of the nodes have the step and the reason.
  return [...failed, ...blocked].some((one) => one.step === step)
    ? `Failed in ${formatStage(step, words)}`
    : `Failed in ${locate(step, words)}: ${reasonText(why)}`;
}

/** Formats where a run was stopped: `stopped before Upgrade workers`; other reasons are unchanged. */
function stopText(message: string, words: StepWords): string {
  const found = /^(stopped|interrupted) (before|in) (\S+)$/.exec(message);
  const [, what = "", where = "", path = ""] = found ?? [];
  if (path === "") return message;
  // A step of the runbook has started when one of its inner steps was next.
  const place = path.includes("/") ? "in" : where;
  return `${what} ${place} ${formatStage(path, words)}`;
}

/** Formats where a step is: `Upgrade workers, while draining`. */
function locate(path: string, words: StepWords): string {
  const stage = formatStage(path, words);
  return path.includes("/") ? `${stage}, ${formatDuring(path, words)}` : stage;
}

/** Formats a reason; its code, which is for programs, only if there is no other. */
function reasonText(
  { node, code = "", message = "" }: {
    readonly node?: string | undefined;
    readonly code?: string | undefined;
    readonly message?: string | undefined;
  },
): string {
  return plainReason(flat(message), node) || code;
}

/** Formats a step that an operator has skipped. */
export function skipText(
  { step, node, reason }: RunReport["skipped"][number],
  words: StepWords,
): string {
  const where = node === undefined
    ? formatStage(step, words)
    : `${node}, ${formatStep(step, words)}`;
  return `${where}: ${flat(reason)}`;
}

/** Formats a failed step of `rescue` or `always` on one line. */
export function cleanupText(
  { part, step, ...why }: NonNullable<RunReport["cleanup"]>[number],
  words = noWords,
): string {
  const on = why.node === undefined ? "" : ` on ${why.node}`;
  return `${part}${on}: ${locate(step, words)}: ${reasonText(why)}`;
}

function formatLines(
  state: NodeState,
  buckets: Buckets,
  { skipped }: RunReport,
  place: ReportPlace,
): readonly string[] {
  const targets = buckets[state];
  if (state === "not-reached") return byPath(targets, place);
  if (state === "done") return doneRows(targets, place);
  const lines = targets.flatMap((one) => particulars(one, place));
  return state === "skipped"
    ? [...lines, ...skipped.map((one) => skipText(one, place.words))]
    : lines;
}

/** Each node once; reports of earlier versions only list nodes by fan-out. */
function listNodes({ nodes, targets }: RunReport): readonly NodeReport[] {
  return nodes ?? oncePerNode(targets);
}

const mostRows = 50;

/** Nodes with details; only names by fan-out if there are no details, or too many nodes. */
function doneRows(
  nodes: readonly NodeReport[],
  place: ReportPlace,
): readonly string[] {
  const rows = nodes.map(({ node, role, from, to, tookMs }) => ({
    node,
    role,
    state: "",
    version: versionText(from, to),
    ...tookMs === undefined ? {} : { time: spanText(tookMs) },
    text: "",
  }));
  const isKnown = rows.some(({ role = "", version, time = "" }) =>
    `${role}${version}${time}` !== ""
  );
  if (!isKnown || rows.length > mostRows) return byPath(nodes, place);
  return nodeRows(rows, { columns: Infinity, rows: Infinity });
}

function byPath(
  targets: readonly TargetReport[],
  place: ReportPlace,
): readonly string[] {
  return [...Map.groupBy(targets, ({ path }) => path)].flatMap(
    ([path, all]) => {
      const nodes = all.map(({ node }) => node);
      const before = `${formatStage(path, place.words)}: `;
      const [first = "", ...others] = names(nodes, place, before);
      return [first, ...others.map((line) => `${indent}${line}`)];
    },
  );
}

function particulars(
  { path, step, artifact, ...why }: TargetReport,
  { words }: ReportPlace,
): readonly string[] {
  const reason = reasonText(why);
  const where = step === undefined
    ? `in ${formatStage(path, words)}`
    : formatDuring(step, words);
  return [
    `${why.node} ${where}${reason === "" ? "" : `: ${reason}`}`,
    ...artifact === undefined ? [] : [`  see ${artifact}`],
  ];
}

/** Names in lines of limited length; of very many only the first, with the command that lists all. */
function names(
  all: readonly string[],
  { width, all: command }: ReportPlace,
  before = "",
): readonly string[] {
  const more = all.length - mostNames;
  const parts = more > 0
    ? [...all.slice(0, mostNames), `and ${more} more: ${command}`]
    : all;
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = last === undefined ? `${before}${part}` : `${last}, ${part}`;
    if (last === undefined) lines.push(longer);
    else if (longer.length <= width) lines[lines.length - 1] = longer;
    else {
      lines[lines.length - 1] = `${last},`;
      lines.push(part);
    }
  }
  return lines;
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return [heading, ...lines.map((line) => `${indent}${line}`)];
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
