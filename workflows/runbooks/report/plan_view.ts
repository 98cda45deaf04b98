/** Plan as rows for people, in the order of admission. */

import { formatCount } from "../../../lib/text/count.ts";
import {
  listInputs,
  type Plan,
  type PlannedCheck,
  type PlannedRefusal,
  type PlanStage,
  type Preview,
  type SafetyVerdict,
} from "../plan/plan.ts";
import {
  formatPlanTitle,
  planSummary,
  type SummaryOptions,
} from "./plan_summary.ts";
import { layOut } from "../../../terminal/table.ts";
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
        ? planText(plan, { columns, given: options.given })
        : planSummary(plan, { columns, ...options }),
    gather: false,
  };
}

/** Line of a plan: step, node, effect, notes. */
type PlanRow = readonly [
  step: string,
  node: string,
  state: string,
  what: string,
];

/**
 * Formats a plan: its steps, the results of safety rules, and decisions at run time.
 *
 * @returns Text with newlines.
 */
export function planText(
  plan: Plan,
  { columns, given }: Pick<SummaryOptions, "columns" | "given"> = {},
): string {
  const table = tableIn(columns);
  const rows = [
    ...listRows(plan.stages),
    ...listRows(plan.rescue, "on failure"),
    ...listRows(plan.always, "always"),
  ];
  const parts = [
    formatPlanTitle(plan, columns) + "\n",
    plan.refusals.length === 0 ? "" : table(
      ["REFUSED AT", "NODE", "WHY"],
      plan.refusals.map(refusalRow),
    ),
    rows.length === 0
      ? "nothing to do\n"
      : table(["STEP", "NODE", "STATE", "WHAT"], rows),
    plan.safety.length === 0
      ? ""
      : table(["RULE", "NOW", "WHERE", "WHY"], plan.safety.map(verdictRow)),
    plan.unknowns.length === 0 ? "" : table(
      ["DECIDED AT RUN TIME", "EXPRESSION"],
      plan.unknowns.map(({ path, what, expression }) => [
        `${path} ${what}`,
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

function tableIn(columns: number | undefined) {
  return (
    header: readonly string[],
    rows: readonly (readonly string[])[],
  ): string => {
    const cells = rows.map((row) => row.map(cell));
    return layOut([header, ...cells], { gap: 3, columns }).text;
  };
}

function listRows(stages: readonly PlanStage[], when = ""): readonly PlanRow[] {
  return stages.flatMap((stage) => {
    const own = ownRows(stage);
    const back = stage.pointOfNoReturn && stage.behind === undefined
      ? [[stage.path, "", "", "point of no return"] as const]
      : [];
    const rows = when === "" ? own : own.map((row) => later(row, when));
    return [...rows, ...back];
  });
}

function later([step, node, state, what]: PlanRow, when: string): PlanRow {
  return [step, node, state, what === "" ? when : `${when}: ${what}`];
}

function ownRows(stage: PlanStage): readonly PlanRow[] {
  const { path, when, happens, behind } = stage;
  if (behind !== undefined) {
    return [[path, "", "not reached", `the run ends at ${behind}`]];
  }
  if (happens === "no") return [[path, "", "skip", `when ${when}`]];
  switch (stage.verb) {
    case "run":
      return stage.previews.length === 0
        ? [[path, "", "unknown", stage.module]]
        : stage.previews.map((one) => previewRow(path, one, stage.module));
    case "gate":
      return stage.checks.map((check) => checkRow(path, check));
    case "approve":
      return [[
        path,
        "",
        happens === "unknown" ? "may ask" : "asks",
        `${stage.tag}: ${stage.message}`,
      ]];
    case "assert":
      return [[path, "", assertions[stage.holds], stage.that]];
    case "decide": {
      const { name, value } = stage;
      return value === undefined
        ? [[path, "", "unknown", name]]
        : [[path, "", "decides", `${name} = ${JSON.stringify(value)}`]];
    }
    case "sleep":
      return [[
        path,
        "",
        happens === "unknown" ? "may sleep" : "sleeps",
        stage.duration,
      ]];
    case "forEach": {
      const { group, maxUnavailable, maxFailures } = stage;
      const nodes = formatCount(stage.batches.flat().length, "node");
      const failures = maxFailures === 0
        ? "none may fail"
        : `at most ${maxFailures} failed`;
      const limits = stage.open
        ? `nodes of ${group}, known at run time`
        : `${nodes} of ${group}, at most ${maxUnavailable} unavailable, ${failures}`;
      return [[path, "", "for each", limits], ...byNode(stage)];
    }
    case "block":
      return within(stage);
  }
}

function within(
  { steps, rescue, always }: Extract<
    PlanStage,
    { readonly verb: "block" | "forEach" }
  >,
): readonly PlanRow[] {
  return [
    ...listRows(steps),
    ...listRows(rescue, "on failure"),
    ...listRows(always, "always"),
  ];
}

/** Sorts by node: a node runs all steps before the next node starts. */
function byNode(
  stage: Extract<PlanStage, { readonly verb: "forEach" }>,
): readonly PlanRow[] {
  const rows = Map.groupBy(within(stage), ([, node]) => node);
  const nodes = stage.batches.flat();
  return [...nodes, ""].flatMap((node) => rows.get(node) ?? []);
}

const assertions = { yes: "holds", no: "fails", unknown: "unknown" } as const;

function previewRow(
  path: string,
  { node = "", outcome, actions, reason }: Preview,
  module: string,
): PlanRow {
  const done = actions.map(({ action, loses }) =>
    loses === undefined ? action : `${action} (loses ${loses})`
  );
  const what = [...done, ...reason === undefined ? [] : [reason]];
  return [path, node, outcome, what.length === 0 ? module : what.join("; ")];
}

function checkRow(
  path: string,
  { check, node = "", state, reason }: PlannedCheck,
): PlanRow {
  const what = reason === undefined ? check : `${check}: ${reason}`;
  return [path, node, state, what];
}

function refusalRow(
  { path = "the start", node = "", reason }: PlannedRefusal,
): readonly string[] {
  return [path, node, reason];
}

function verdictRow(
  { rule, state, path = "", node = "", reason }: SafetyVerdict,
): readonly string[] {
  const where = [path, node].filter((part) => part !== "").join(" on ");
  return [rule, state, where, reason];
}

function membership({ joined, left }: Plan): string {
  const said = (what: string, names: readonly string[]) =>
    names.length === 0 ? "" : `${what}: ${names.join(", ")}\n`;
  return said("joined the cluster", joined) + said("left the cluster", left);
}
