/** Plan on one page: steps, nodes and their order, stops, approvals, and duration. */

import { formatCount } from "../../../lib/text/count.ts";
import { layOut } from "../../../terminal/table.ts";
import { commandName } from "../../modules/command.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import type { EarlierTimes } from "../plan/earlier_times.ts";
import {
  formatAction,
  type Plan,
  type PlanStage,
  type StageOf,
} from "../plan/plan.ts";
import { lowerFirst } from "./activity.ts";
import { formatFanOut, formatVersions, nodeSteps } from "./plan_nodes.ts";
import {
  formatNumbers,
  formatTitle,
  isReached,
  leaves,
  listFanOuts,
  listRows,
  listRuns,
  type StepRow,
} from "./plan_rows.ts";
import { foldLine } from "./run_screen.ts";
import { formatTime } from "./plan_time.ts";

/** Options of a plan's page. */
export interface SummaryOptions {
  /** Width of the terminal; default no limit. */
  readonly columns?: number | undefined;
  readonly earlier?: EarlierTimes | undefined;
  /** Names of the inputs to show; default all. */
  readonly given?: ReadonlySet<string> | undefined;
}

/**
 * Formats a plan on one page.
 *
 * @returns Text with newlines.
 */
export function planSummary(plan: Plan, options: SummaryOptions = {}): string {
  const { columns = Infinity } = options;
  const parts = [
    formatPlanTitle(plan, columns),
    ...planSections(plan, options),
    "Every step on every node: --details, or -o html",
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Runbook, cluster and title of a plan, without a line end. */
export function formatPlanTitle(
  { runbook, cluster, title }: Plan,
  columns = Infinity,
): string {
  return foldLine(`${runbook} on ${cluster.name}: ${cell(title)}`, columns)
    .join("\n");
}

/** Formats the sections of the page: headings with lines. */
export function planSections(
  plan: Plan,
  { columns = Infinity, earlier, given }: SummaryOptions,
): readonly string[] {
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [
      [
        heading,
        ...lines.flatMap((line) => foldLine(`  ${cell(line)}`, columns)),
      ].join("\n"),
    ];
  const { stages } = plan;
  const rows = listRows(stages);
  return [
    ...section(
      "Refused",
      plan.refusals.map(({ path, node, reason }) =>
        [findTitle(rows, path), node, reason].filter(Boolean).join(": ")
      ),
    ),
    ...rows.length === 0 ? section("Nothing to do", idleLines(stages)) : [
      ...section("Nothing to change", unneededLines(rows)),
      stepTable(rows, columns, new Set(plan.refusals.map(({ path }) => path))),
      ...section("On each node", nodeSteps(rows)),
      ...section("Stops", stopLines(plan, rows)),
      ...section("Approvals", approvalLines(rows)),
      ...section("Takes", [formatTime(stages, earlier)]),
      ...section("Does not", omissionLines(plan)),
    ],
    ...section(
      "Inputs",
      [formatInputs(plan, given)].filter((text) => text !== ""),
    ),
  ];
}

/** Reasons why a plan has no steps. */
function idleLines(stages: readonly PlanStage[]): readonly string[] {
  const skipped = skippedLines(stages);
  return skipped.length > 0 ? skipped : ["the runbook has no steps"];
}

/** Groups of a plan that select no node at all. */
function unneededLines(rows: readonly StepRow[]): readonly string[] {
  const fanOuts = listFanOuts(rows);
  const isIdle = fanOuts.every(({ stage: { open, batches } }) =>
    !open && batches.length === 0
  );
  if (fanOuts.length === 0 || !isIdle) return [];
  const groups = new Set(fanOuts.map(({ stage }) => stage.group));
  return [
    `${formatNumbers(fanOuts)}: no node of the cluster is in ${
      groups.size === 1 ? "group" : "groups"
    } ${[...groups].join(", ")} now`,
  ];
}

/** Title of the row at or around a path; the path if there is none. */
export function findTitle(rows: readonly StepRow[], path = ""): string {
  const row = rows.find(({ stage }) =>
    path === stage.path || path.startsWith(`${stage.path}/`)
  );
  return row?.title ?? path;
}

/** @param refused Paths of refused steps, whose reasons come first on the page. */
function stepTable(
  rows: readonly StepRow[],
  columns: number,
  refused: ReadonlySet<string | undefined>,
): string {
  const width = `${rows.length}`.length;
  const reached = rows.filter(({ stage }) => stage.behind === undefined);
  const behind = rows.length - reached.length;
  const cells = reached.map((row) => [
    `${row.number}`.padStart(width),
    `${row.heading === "" ? "" : "  "}${cell(row.title)}`,
    isCheck(row.stage) && refused.has(row.stage.path)
      ? "refused"
      : cell(stageText(row, rows)),
  ]);
  const limits = {
    gap: 2,
    columns: columns === Infinity ? undefined : columns - 2,
  };
  const { layout } = layOut(cells, limits);
  const lines = cells.flatMap((row, i) => {
    const heading = reached[i]?.heading ?? "";
    const isFirst = heading !== "" && heading !== reached[i - 1]?.heading;
    const text = layOut([row], limits, layout).text.trimEnd().split("\n")
      .map((line) => `  ${line}`);
    return isFirst
      ? [...foldLine(`${" ".repeat(width + 4)}${heading}:`, columns), ...text]
      : text;
  });
  const rest = behind === 0
    ? []
    : [`${formatCount(behind, "further step")} not reached`]
      .map((line) => `${" ".repeat(width + 4)}${line}`);
  return ["Steps", ...lines, ...rest].join("\n");
}

function isCheck({ verb }: PlanStage): boolean {
  return verb === "gate" || verb === "assert";
}

function stageText(
  { stage, number, title }: StepRow,
  rows: readonly StepRow[],
): string {
  const text = stage.verb === "forEach"
    ? [formatFanOut({ stage, number, title }, rows), ...formatVersions(stage)]
      .join("; ")
    : ownText(stage);
  const open = stage.happens === "unknown" ? ["decided at run time"] : [];
  return [text, ...open].filter((one) => one !== "").join("; ");
}

function ownText(stage: Exclude<PlanStage, StageOf<"forEach">>): string {
  switch (stage.verb) {
    case "run":
      return stage.previews.flatMap(({ outcome, actions, reason = "" }) =>
        outcome === "read" && reason !== ""
          ? [reason]
          : actions.map(formatAction)
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
        ? `${stage.message} (destructive)`
        : stage.message;
    case "decide":
      return stage.value === undefined
        ? ""
        : `${stage.name} = ${JSON.stringify(stage.value)}`;
    case "sleep":
      return stage.duration;
    case "block":
      return "";
  }
}

function stopLines(
  { stages, safety, rescue, always }: Plan,
  rows: readonly StepRow[],
): readonly string[] {
  const reached = rows.filter(({ stage }) => isReached(stage));
  const checks = reached.filter(({ stage }) => isCheck(stage));
  const final = leaves(reached.map(({ stage }) => stage))
    .find((one) => one.pointOfNoReturn);
  const byLimit = Map.groupBy(
    listFanOuts(rows).filter(({ stage }) =>
      stage.open || stage.batches.length > 0
    ),
    ({ stage }) => stage.maxFailures,
  );
  const titles = (stages: readonly PlanStage[]) =>
    [
      ...new Set(
        stages.filter(isReached).map((one) => lowerFirst(formatTitle(one))),
      ),
    ].join(", ");
  const line = (when: string, what: string) =>
    what === "" ? [] : [`${when}: ${what}`];
  const at = (when: string, group: readonly Pick<StepRow, "number">[]) =>
    group.length === 0 ? [] : line(when, formatNumbers(group));
  return [
    ...at("if a check fails", checks),
    ...[...byLimit].flatMap(([limit, group]) =>
      at(
        formatFailureLimit(limit),
        group,
      )
    ),
    ...safety.flatMap(({ rule, state, node, reason }) => {
      const where = node === undefined ? "" : `${node}: `;
      // What refuses the run comes first on the page.
      return state === "holds" || state === "refuses"
        ? []
        : [`${rule} ${state}: ${where}${reason}`];
    }),
    ...line(
      "cannot be undone after",
      final === undefined ? "" : titles([final]),
    ),
    ...line("then, if it failed", titles([...listRescue(stages), ...rescue])),
    ...line("at the end, in any case", titles(always)),
  ];
}

/** Formats when failed nodes stop a step. */
export function formatFailureLimit(most: number): string {
  return most === 0
    ? "at the first node that fails"
    : `if more than ${formatCount(most, "node")} failed`;
}

function approvalLines(rows: readonly StepRow[]): readonly string[] {
  const asks = rows.flatMap(({ stage, number }) =>
    stage.verb === "approve" && isReached(stage) ? [{ stage, number }] : []
  );
  const usual = asks.filter(({ stage }) => !stage.destructive);
  return [
    ...usual.length === 0 ? [] : [
      `${formatNumbers(usual)}: --yes approves ${
        usual.length === 1 ? "it" : "them"
      }`,
    ],
    ...asks.filter(({ stage }) => stage.destructive).map(
      ({ stage: { tag, typed }, number }) =>
        `step ${number}: --yes-destructive ${tag}:${typed ?? tag}`,
    ),
  ];
}

/** Effects that the plan does not have, skipped steps, and nodes that are left alone. */
function omissionLines({ stages, rescue, always, joined, left }: Plan) {
  const runs = listRuns([...stages, ...rescue, ...always]);
  const has = (effect: string) => runs.some((one) => one.effect === effect);
  // Programs on this machine may do anything.
  const isKnown = runs.every(({ module }) => module !== commandName);
  const loses = has("destroy") ? [] : ["destroy data"];
  const disturbs = has("disrupt") || has("destroy") ? [] : ["reboot nodes"];
  const kept = [
    "change other nodes",
    ...isKnown ? [...loses, ...disturbs] : [],
  ];
  const skipped = skippedLines(stages);
  const apart = (what: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [`change nodes that ${what}: ${names.join(", ")}`];
  return [
    kept.join(", "),
    ...skipped,
    ...apart("joined the cluster", joined),
    ...apart("left the cluster", left),
  ];
}

/** Steps outside fan-outs that run when others failed. */
function listRescue(stages: readonly PlanStage[]): readonly PlanStage[] {
  return stages.flatMap((stage) =>
    stage.verb === "block" && isReached(stage)
      ? [...listRescue(stage.steps), ...stage.rescue]
      : []
  );
}

function skippedLines(stages: readonly PlanStage[]): readonly string[] {
  return listSkipped(stages).map((one) =>
    [lowerFirst(formatTitle(one)), "its condition is false", one.when]
      .filter(Boolean).join(": ")
  );
}

/** Steps outside fan-outs whose condition is false. */
function listSkipped(stages: readonly PlanStage[]): readonly PlanStage[] {
  return stages.flatMap((stage) => {
    if (stage.behind !== undefined) return [];
    if (stage.happens === "no") return [stage];
    return stage.verb === "block" ? listSkipped(stage.steps) : [];
  });
}

function formatInputs({ inputs }: Plan, given?: ReadonlySet<string>): string {
  return Object.entries(inputs).flatMap(([name, value]) => {
    const isShown = given?.has(name) !== false && value !== "" &&
      (typeof value !== "object" || Array.isArray(value));
    return isShown ? [`${name} ${value}`] : [];
  }).join(", ");
}
