/** Plan as rows for people: every step on every node, in the order of admission. */

import {
  formatAction,
  formatField,
  formatVerdict,
  listInputs,
  type Plan,
  type PlannedCheck,
  type PlanStage,
  type Preview,
  type SafetyVerdict,
  type StageOf,
  stateWords,
} from "../plan/plan.ts";
import { lowerFirst } from "./activity.ts";
import { formatFanOut } from "./plan_nodes.ts";
import { formatTitle, listRows, type StepRow } from "./plan_rows.ts";
import {
  formatFailureLimit,
  formatPlanTitle,
  planSummary,
  type SummaryOptions,
} from "./plan_summary.ts";
import { formatTime } from "./plan_time.ts";
import { layOut, leastWidth } from "../../../terminal/table.ts";
import { textWidth } from "../../../terminal/text_width.ts";
import { cell } from "../../../terminal/terminal_text.ts";
import type { TextView } from "../../../terminal/view.ts";

/** Text view of a plan: one page, or with `details` every step on every node. */
export function planView(
  { details, ...options }: Omit<SummaryOptions, "columns"> & {
    readonly details: boolean;
  },
): TextView<Plan> {
  return {
    kind: "text",
    render: (plan, _first, columns) =>
      details
        ? planText(plan, { columns, ...options })
        : planSummary(plan, { columns, ...options }),
    gather: false,
  };
}

/** Line of a plan: step, node, state, notes. */
type PlanRow = readonly [
  step: string,
  node: string,
  state: string,
  what: string,
];

/** Names of the steps of a plan. */
interface StepNames {
  /** Steps with numbers. */
  readonly rows: readonly StepRow[];
  /** Titles of all steps, by path. */
  readonly titles: ReadonlyMap<string, string>;
}

/**
 * Formats a plan: its steps, its duration, the results of safety rules, and decisions at run time.
 *
 * @returns Text with newlines.
 */
export function planText(
  plan: Plan,
  { columns, given, earlier }: SummaryOptions = {},
): string {
  const { stages, rescue, always } = plan;
  const table = tableIn(columns);
  const names = nameSteps(plan);
  const rows = [
    ...stepRows(stages, names),
    ...stepRows(rescue, names, "if it fails"),
    ...stepRows(always, names, "in any case"),
  ];
  const parts = [
    formatPlanTitle(plan, columns) + "\n",
    plan.refusals.length === 0 ? "" : table(
      ["REFUSED AT", "NODE", "WHY"],
      plan.refusals.map(({ path, node = "", reason }) => [
        path === undefined ? "the start" : formatPlace(path, names),
        node,
        reason,
      ]),
    ),
    rows.length === 0 ? "nothing to do\n" : formatStepTable(rows, columns),
    rows.length === 0 ? "" : `Takes ${formatTime(stages, earlier)}\n`,
    plan.safety.length === 0 ? "" : table(
      ["RULE", "NOW", "WHERE", "WHAT"],
      plan.safety.map((one) => verdictRow(one, names)),
    ),
    plan.unknowns.length === 0 ? "" : table(
      ["DECIDED AT RUN TIME", "VALUE", "EXPRESSION"],
      plan.unknowns.map(({ path, what, expression }) => [
        formatPlace(path, names),
        formatField(what),
        expression,
      ]),
    ),
    membership(plan),
    Object.keys(plan.inputs).length === 0
      ? ""
      : table(["INPUT", "VALUE"], listInputs(plan, given)),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Makes the function that names a step of a plan by its number and title. */
export function makePlaceNames(plan: Plan): (path: string) => string {
  const names = nameSteps(plan);
  return (path) => formatPlace(path, names);
}

function nameSteps({ stages, rescue, always }: Plan): StepNames {
  return {
    rows: listRows(stages),
    titles: new Map(listTitles([...stages, ...rescue, ...always])),
  };
}

function tableIn(columns: number | undefined) {
  return (
    header: readonly string[],
    rows: readonly (readonly string[])[],
  ): string => {
    const cells = rows.map((row) => row.map((text) => cell(shorten(text))));
    return layOut([header, ...cells], { gap: 2, columns }).text;
  };
}

/** Formats the table of steps; where it is too wide, states are before the notes. */
function formatStepTable(
  rows: readonly PlanRow[],
  columns: number | undefined,
): string {
  const widest = Math.max(
    ...rows.map(([step, node, state]) =>
      textWidth(step) + textWidth(node) + textWidth(state)
    ),
  );
  const table = tableIn(columns);
  return columns === undefined || widest + leastWidth <= columns
    ? table(["STEP", "NODE", "STATE", "WHAT"], rows)
    : table(
      ["STEP", "NODE", "STATE"],
      rows.map(([step, node, state, what]) => [
        step,
        node,
        [state, what].filter((part) => part !== "").join(": "),
      ]),
    );
}

/** Shortens the ids of schematics and digests in names of images; `-o json` has them whole. */
function shorten(text: string): string {
  return text.replace(/\b([0-9a-f]{12})[0-9a-f]{52}\b/g, "$1…");
}

function listTitles(
  stages: readonly PlanStage[],
): readonly (readonly [path: string, title: string])[] {
  return stages.flatMap((stage) => [
    [stage.path, formatTitle(stage)] as const,
    ...stage.verb === "block" || stage.verb === "forEach"
      ? listTitles([...stage.steps, ...stage.rescue, ...stage.always])
      : [],
  ]);
}

/** Formats a step below the one around it: `8 Upgrade control planes`, `8 · cordon the node`. */
function formatStep(path: string, names: StepNames): string {
  return formatPlace(path, names, ({ number }) => `${number}`);
}

/** Formats a step with the one around it: `8 Upgrade control planes · cordon the node`. */
function formatPlace(
  path: string,
  { rows, titles }: StepNames,
  formatOuter = formatRow,
): string {
  const row = findRow(path, rows);
  // Rules that the runbook overrides are no steps.
  const title = titles.get(path) ?? path.replace(/^allow\//, "Override ");
  if (row === undefined) return title;
  return path === row.stage.path
    ? formatRow(row)
    : `${formatOuter(row)} · ${lowerFirst(title)}`;
}

function formatRow({ number, heading, title }: StepRow): string {
  return heading === ""
    ? `${number} ${title}`
    : `${number} ${heading}: ${lowerFirst(title)}`;
}

function findRow(
  path: string,
  rows: readonly StepRow[],
): StepRow | undefined {
  return rows.find(({ stage }) =>
    path === stage.path || path.startsWith(`${stage.path}/`)
  );
}

/** @param when When the steps run; empty for those of the main list. */
function stepRows(
  stages: readonly PlanStage[],
  names: StepNames,
  when = "",
): readonly PlanRow[] {
  return stages.flatMap((stage) => {
    const own = ownRows(stage, names);
    const step = formatStep(stage.path, names);
    const back = stage.pointOfNoReturn && stage.behind === undefined
      ? [[step, "", "", "cannot be undone after this step"] as const]
      : [];
    const rows = when === ""
      ? own
      : own.map(([step, node, state, what]) =>
        [step, node, state === stateWords.unknown ? when : state, what] as const
      );
    return [...rows, ...back];
  });
}

function ownRows(stage: PlanStage, names: StepNames): readonly PlanRow[] {
  const { path, when, happens, behind } = stage;
  const step = formatStep(path, names);
  const row = (state: string, what: string): readonly PlanRow[] => [
    [step, "", state, what],
  ];
  if (behind !== undefined) {
    return row("not reached", `the run ends at ${formatPlace(behind, names)}`);
  }
  if (happens === "no") {
    return row("skipped", `its condition is false: ${when}`);
  }
  const isOpen = happens === "unknown";
  switch (stage.verb) {
    case "run": {
      // The title says what the step does.
      const { module, title, previews } = stage;
      const name = title === undefined ? module : "";
      return previews.length === 0
        ? row(stateWords.unknown, when === undefined ? name : `if ${when}`)
        : previews.map((one) => previewRow(step, one, name));
    }
    case "gate":
      return stage.checks.map((check) => checkRow(step, check));
    case "approve":
      return row(
        isOpen ? stateWords.unknown : "approval",
        `${stage.message} (--yes=${stage.tag})`,
      );
    case "assert":
      return row(
        { yes: "holds", no: "fails", unknown: stateWords.unknown }[
          stage.holds
        ],
        stage.that,
      );
    case "decide": {
      const { name, value } = stage;
      return value === undefined
        ? row(stateWords.unknown, name)
        : row("decided", `${name} = ${JSON.stringify(value)}`);
    }
    case "sleep":
      return row(isOpen ? stateWords.unknown : "sleeps", stage.duration);
    case "forEach":
      return [
        ...row("", formatNodes(stage, names)),
        ...byNode(stage, names),
      ];
    case "block":
      return within(stage, names);
  }
}

/** Formats the nodes of a fan-out, how many at once, and when it stops. */
function formatNodes(
  stage: StageOf<"forEach">,
  { rows }: StepNames,
): string {
  const number = findRow(stage.path, rows)?.number ?? 0;
  const title = formatTitle(stage);
  const nodes = formatFanOut({ stage, number, title }, rows);
  return stage.open || stage.batches.length > 0
    ? `${nodes}; stops ${formatFailureLimit(stage.maxFailures)}`
    : nodes;
}

function within(
  { steps, rescue, always }: StageOf<"block" | "forEach">,
  names: StepNames,
): readonly PlanRow[] {
  return [
    ...stepRows(steps, names),
    ...stepRows(rescue, names, "if it fails"),
    ...stepRows(always, names, "in any case"),
  ];
}

/** Sorts by node: a node runs all steps before the next node starts. */
function byNode(
  stage: StageOf<"forEach">,
  names: StepNames,
): readonly PlanRow[] {
  const rows = Map.groupBy(within(stage, names), ([, node]) => node);
  const nodes = stage.batches.flat();
  return [...nodes, ""].flatMap((node) => rows.get(node) ?? []);
}

/** @param name Module of a step without a title. */
function previewRow(
  step: string,
  { node = "", outcome, actions, reason }: Preview,
  name: string,
): PlanRow {
  const done = actions.map(formatAction);
  const what = [...done, ...reason === undefined ? [] : [reason]];
  return [
    step,
    node,
    stateWords[outcome],
    what.length === 0 ? name : what.join("; "),
  ];
}

function checkRow(
  step: string,
  { check, node = "", state, reason }: PlannedCheck,
): PlanRow {
  const what = reason === undefined ? check : `${check}: ${reason}`;
  return [step, node, stateWords[state], what];
}

function verdictRow(
  { rule, state, path, node = "", reason }: SafetyVerdict,
  names: StepNames,
): readonly string[] {
  const step = path === undefined ? "" : formatPlace(path, names);
  const where = [step, node].filter((part) => part !== "").join(" on ");
  return [rule, state, where, formatVerdict({ rule, reason })];
}

function membership({ joined, left }: Plan): string {
  const line = (what: string, names: readonly string[]) =>
    names.length === 0 ? "" : `${what}: ${names.join(", ")}\n`;
  return line("joined the cluster", joined) + line("left the cluster", left);
}
