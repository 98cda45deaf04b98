/** Plan on one page: steps, nodes and their order, stops, approvals, and duration. */

import { parseDuration } from "../../../lib/duration.ts";
import { formatCount } from "../../../lib/text/count.ts";
import { layOut } from "../../../terminal/table.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import type { EarlierTimes } from "../plan/earlier_times.ts";
import type { Plan, PlanStage, StageOf } from "../plan/plan.ts";
import { lowerFirst, stageTitle } from "./activity.ts";
import { foldLine } from "./run_screen.ts";
import { formatEstimate } from "./run_progress.ts";

interface SummaryOptions {
  /** Width of the terminal; default no limit. */
  readonly columns?: number | undefined;
  readonly earlier?: EarlierTimes | undefined;
}

/**
 * Formats a plan on one page.
 *
 * @returns Text with newlines.
 */
export function planSummary(
  plan: Plan,
  { columns = Infinity, earlier }: SummaryOptions = {},
): string {
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [
      [
        heading,
        ...lines.flatMap((line) => foldLine(`  ${cell(line)}`, columns)),
      ].join("\n"),
    ];
  const stages = plan.stages;
  const reached = stages.filter(isReached);
  const works = reached.filter(isFanOut);
  const parts = [
    foldLine(
      `${plan.runbook} on ${plan.cluster.name}: ${cell(plan.title)}`,
      columns,
    ).join("\n"),
    ...section(
      "Refused",
      plan.refusals.map(({ path, node, reason }) =>
        [titleAt(stages, path), node, reason].filter(Boolean).join(": ")
      ),
    ),
    ...stages.length === 0 ? ["nothing to do"] : [stepTable(stages, columns)],
    ...section("On each node", nodeSteps(works)),
    ...section("Stops", stopLines(plan, reached)),
    ...section("Approvals", approvalLines(reached)),
    ...section(
      "Takes",
      stages.length === 0 ? [] : [formatTime(reached, earlier)],
    ),
    ...section("Does not", stages.length === 0 ? [] : skippedLines(plan)),
    ...section(
      "Inputs",
      [inputsText(plan)].filter((text) => text !== ""),
    ),
    "Every step on every node: --details, or -o html",
  ];
  return `${parts.join("\n\n")}\n`;
}

function isReached({ happens, behind }: PlanStage): boolean {
  return happens !== "no" && behind === undefined;
}

function isFanOut(stage: PlanStage): stage is StageOf<"forEach"> {
  return stage.verb === "forEach";
}

function formatTitle({ title, verb, id }: PlanStage): string {
  return stageTitle({ path: id, title, verb });
}

/** Title of the step of the runbook at or around a path. */
function titleAt(stages: readonly PlanStage[], path = ""): string {
  const [top] = path.split("/");
  const stage = stages.find((one) => one.path === top);
  return stage === undefined ? path : formatTitle(stage);
}

function stepTable(stages: readonly PlanStage[], columns: number): string {
  const rows = stages.map((stage, i) => [
    `${i + 1}`.padStart(`${stages.length}`.length),
    cell(formatTitle(stage)),
    cell(stageText(stage)),
  ]);
  const limit = columns === Infinity ? undefined : columns - 2;
  const text = layOut(rows, { gap: 2, columns: limit }).text;
  return ["Steps", ...text.trimEnd().split("\n").map((line) => `  ${line}`)]
    .join("\n");
}

function stageText(stage: PlanStage): string {
  if (stage.behind !== undefined) return "not reached";
  if (stage.happens === "no") return "skipped";
  const text = [ownText(stage)].filter((one) => one !== "");
  const open = stage.happens === "unknown" ? ["decided at run time"] : [];
  return [...text, ...open].join("; ");
}

function ownText(stage: PlanStage): string {
  switch (stage.verb) {
    case "run":
      return stage.previews.flatMap(({ actions }) =>
        actions.map(({ action, loses }) =>
          loses === undefined ? action : `${action} (loses ${loses})`
        )
      ).join("; ");
    case "gate": {
      const lacking = stage.checks.filter(({ state }) => state === "fails");
      if (lacking.length > 0) {
        return `does not hold now: ${
          lacking.map(({ check, reason }) => reason ?? check).join("; ")
        }`;
      }
      return stage.checks.every(({ state }) => state !== "unknown")
        ? "holds now"
        : "";
    }
    case "assert":
      return { yes: "holds now", no: `fails: ${stage.message}`, unknown: "" }[
        stage.holds
      ];
    case "approve":
      return stage.destructive
        ? `${stage.message} (data may be lost)`
        : stage.message;
    case "decide":
      return stage.value === undefined
        ? ""
        : `${stage.name} = ${JSON.stringify(stage.value)}`;
    case "sleep":
      return stage.duration;
    case "forEach":
      return fanOutText(stage);
    case "block":
      return "";
  }
}

const mostNames = 4;

function fanOutText({ open, group, batches }: StageOf<"forEach">): string {
  const nodes = batches.flat();
  if (open) return `nodes of ${group}, known at run time`;
  if (nodes.length === 0) return "no nodes";
  const names = nodes.length > mostNames + 1
    ? `${nodes.slice(0, mostNames).join(", ")} and ${
      nodes.length - mostNames
    } more`
    : nodes.join(", ");
  if (nodes.length === 1) return names;
  const sizes = batches.map(({ length }) => length);
  const [first = 1, second = first] = sizes;
  const pace = first !== second && sizes.length > 1 && second > first
    ? `${first}, then ${second} at once`
    : first === 1
    ? "one at a time"
    : first >= nodes.length
    ? "all at once"
    : `${first} at once`;
  return `${names}; ${pace}`;
}

/** Steps on each node, once for fan-outs with the same steps; omitted if the title says it. */
function nodeSteps(
  works: readonly StageOf<"forEach">[],
): readonly string[] {
  const named = (steps: readonly PlanStage[], open = "") =>
    leaves(steps).map((one) =>
      `${lowerFirst(formatTitle(one))}${isOpen(one) ? open : ""}`
    ).join(", ");
  const long = works.filter(({ steps }) => leaves(steps).length > 1);
  const alike = Map.groupBy(long, (stage) => {
    const inner = [stage, ...stage.steps.flatMap(listWork)];
    const rescue = named(inner.flatMap(({ rescue }) => rescue));
    const always = named(inner.flatMap(({ always }) => always));
    return [
      named(stage.steps, " (if needed)"),
      ...rescue === "" ? [] : [`  if it fails: ${rescue}`],
      ...always === "" ? [] : [`  in any case: ${always}`],
    ].join("\n");
  });
  return [...alike].flatMap(([text, stages]) =>
    `${stages.map(formatTitle).join(", ")}: ${text}`.split("\n")
  );
}

/** Reports whether it is decided at run time if a step runs at all. */
function isOpen(stage: PlanStage): boolean {
  return stage.happens === "unknown" && stage.verb === "run" &&
    stage.previews.length === 0;
}

/** Blocks in a step, including itself. */
function listWork(stage: PlanStage): readonly StageOf<"block" | "forEach">[] {
  return stage.verb === "block" || stage.verb === "forEach"
    ? [stage, ...stage.steps.flatMap(listWork)]
    : [];
}

/** Inner steps that would run. */
function leaves(steps: readonly PlanStage[]): readonly PlanStage[] {
  return steps.flatMap((stage) => {
    if (!isReached(stage)) return [];
    if (stage.verb === "block" || stage.verb === "forEach") {
      return leaves(stage.steps);
    }
    const isIdle = stage.verb === "run" && stage.previews.length > 0 &&
      stage.previews.every(({ outcome }) =>
        outcome === "skip" || outcome === "nothing"
      );
    return isIdle ? [] : [stage];
  });
}

function stopLines(
  { safety }: Plan,
  stages: readonly PlanStage[],
): readonly string[] {
  const titles = (wanted: (stage: PlanStage) => boolean) =>
    stages.filter(wanted).map(formatTitle).join(", ");
  const checks = titles(({ verb }) => verb === "gate" || verb === "assert");
  const strict = titles((one) => isFanOut(one) && one.maxFailures === 0);
  const final = leaves(stages).find((one) => one.pointOfNoReturn);
  return [
    ...checks === "" ? [] : [`if a check does not hold: ${checks}`],
    ...strict === "" ? [] : [`at the first node that fails: ${strict}`],
    ...stages.filter(isFanOut).flatMap((one) =>
      one.maxFailures === 0 ? [] : [
        `when more than ${formatCount(one.maxFailures, "node")} failed: ${
          formatTitle(one)
        }`,
      ]
    ),
    ...safety.flatMap(({ rule, state, node, reason }) => {
      const where = node === undefined ? "" : `${node}: `;
      return state === "holds" ? [] : [`${rule} ${state}: ${where}${reason}`];
    }),
    ...final === undefined
      ? []
      : [`cannot be undone after: ${lowerFirst(formatTitle(final))}`],
  ];
}

function approvalLines(stages: readonly PlanStage[]): readonly string[] {
  const asks = stages.flatMap((one) => one.verb === "approve" ? [one] : []);
  const usual = asks.filter(({ destructive }) => !destructive);
  return [
    ...usual.length === 0 ? [] : [
      `${usual.map(({ tag }) => tag).join(", ")}: --yes approves ${
        usual.length === 1 ? "it" : "them"
      }`,
    ],
    ...asks.filter(({ destructive }) => destructive).map(({ tag, typed }) =>
      `${tag}: --yes-destructive ${tag}:${typed ?? tag}`
    ),
  ];
}

function formatTime(
  stages: readonly PlanStage[],
  earlier: EarlierTimes | undefined,
): string {
  const ms = stages.reduce((sum, one) => sum + usualMs(one, earlier), 0);
  const source = earlier === undefined
    ? "an estimate: it has not run on this cluster yet"
    : `as in run ${earlier.run}`;
  const waits = stages.some(({ verb }) => verb === "approve")
    ? " and the time until the approvals"
    : "";
  return `${formatEstimate(ms)}${waits}, ${source}`;
}

/** Usual durations of steps by their effect, in milliseconds. */
const usual = {
  read: 2_000,
  write: 10_000,
  disrupt: 180_000,
  destroy: 180_000,
};

/** The same of modules that take another time. */
const usualModules: Readonly<Record<string, number>> = {
  "upgrade.install": 60_000,
  "upgrade.legacy": 240_000,
};

function usualMs(stage: PlanStage, earlier: EarlierTimes | undefined): number {
  if (!isReached(stage)) return 0;
  const sum = (steps: readonly PlanStage[]) =>
    steps.reduce((total, one) => total + usualMs(one, earlier), 0);
  switch (stage.verb) {
    case "run": {
      const isIdle = isOpen(stage) || leaves([stage]).length === 0;
      return isIdle ? 0 : usualModules[stage.module] ?? usual[stage.effect];
    }
    case "gate":
      return parseDuration(stage.holdFor ?? "0") ?? 0;
    case "sleep":
      return parseDuration(stage.duration) ?? 0;
    case "block":
      return sum(stage.steps);
    case "forEach":
      return stage.batches.length *
        (earlier?.meanMs.get(stage.path) ?? sum(stage.steps));
    default:
      return 0;
  }
}

function skippedLines({ stages, joined, left }: Plan): readonly string[] {
  const skipped = stages.filter(({ happens, behind }) =>
    happens === "no" && behind === undefined
  );
  return [
    "change nodes that are not listed above",
    ...skipped.map((one) =>
      `run "${formatTitle(one)}": ${one.when ?? "its condition"} is false`
    ),
    ...joined.length === 0
      ? []
      : [`change nodes that joined the cluster: ${joined.join(", ")}`],
    ...left.length === 0
      ? []
      : [`change nodes that left the cluster: ${left.join(", ")}`],
  ];
}

function inputsText({ inputs }: Plan): string {
  return Object.entries(inputs).flatMap(([name, value]) =>
    typeof value === "object" ? [] : [`${name} ${value}`]
  ).join(", ");
}
