import { maskValue, processMasker } from "../../lib/masker.ts";
import { DifferentError } from "../../errors.ts";
import type { Environment } from "../../terminal/environment.ts";
import { renderer } from "../../terminal/render.ts";
import { planPage } from "../../workflows/runbooks/plan/page/plan_page.ts";
import { readEarlierTimes } from "../../workflows/runbooks/plan/earlier_times.ts";
import { hasChanges, type Plan } from "../../workflows/runbooks/plan/plan.ts";
import { planSections } from "../../workflows/runbooks/report/plan_summary.ts";
import {
  makePlaceNames,
  planView,
} from "../../workflows/runbooks/report/plan_view.ts";
import { outputFlag } from "../_kit/globals.ts";
import {
  type Command,
  type Flag,
  type Format,
  InputProblem,
  integer,
  stringArray,
  toggle,
  type Values,
  word,
} from "../_kit/mod.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import { planRun, refusePlan } from "../_runbook/plan_run.ts";
import { allowCommandsFlag } from "../_runbook/run_flags.ts";
import { runSession } from "../_runbook/session.ts";
import { inputFlags } from "../_runbook/input_flags.ts";

/** Output format of a plan. */
type PlanFormat = Format | {
  readonly kind: "html";
};

/** `--output`. */
const planOutputFlag: Flag<PlanFormat> = {
  role: "flag",
  type: "string",
  short: "o",
  summary: "format: table, json, jsonl, yaml, html or jsonpath=<template>",
  choices: ["table", "json", "jsonl", "yaml", "html", "jsonpath="],
  initial: { kind: "table" },
  shown: "table",
  parse(value) {
    if (value === "html") return { kind: "html" };
    if (others.has(value) || value.startsWith("jsonpath")) {
      return outputFlag.parse(value, undefined);
    }
    const known = [...rowFormats, "html", "jsonpath=<template>"];
    throw new InputProblem(`must be one of ${known.join(", ")}`);
  },
};

/** Common formats that a plan also supports; it has no list of names. */
const rowFormats = ["table", "json", "jsonl", "yaml"];

const others: ReadonlySet<string> = new Set([...rowFormats, "text", "human"]);

const inputs = {
  ...inputFlags,
  limit: stringArray(
    "only these nodes, by name or by condition; repeatable",
  ),
  exitCode: toggle(
    "exit with status 6 if something would or might change",
  ),
  parallel: integer("maximum number of nodes to read at once", {
    initial: 32,
    least: 1,
    most: 1024,
  }),
  allowCommands: allowCommandsFlag,
  details: toggle("show every step on every node"),
  output: planOutputFlag,
  runbook: word("file, or builtin:<name>", { complete: "runbooks" }),
};

type PlanInputs = Values<typeof inputs>;

export const command = {
  summary: "Show what a run would do",
  description:
    `Reads the cluster and shows what a run would do, on which nodes, in which order and how many at once, what stops it,
which approvals it needs and about how long it takes; nothing is changed. With --details, and with -o html, it shows
every step on every node, the results of gates and the safety rules. Values that depend on earlier steps are only known
during the run. Calls that could change a node or Kubernetes are refused before they are sent; manifests are compared by
dry runs.

If a run would be refused, the reasons come first and the status is 5.

To run exactly this plan, save it with -o json and pass it to "osctl runbook run --plan".`,
  output: "own",
  inputs,
  examples: [
    "runbook plan builtin:rolling-upgrade --input version=v1.13.4",
    "runbook plan builtin:rolling-upgrade --input version=v1.13.4 -o html > plan.html",
    "runbook plan ./upgrade.runbook.yaml --inputs values.yaml -o json > plan.json",
  ],
  view: { kind: "bytes" },
  // Rows are written in its own formats.
  // deno-lint-ignore require-yield
  async *run(context) {
    const { input, environment } = context;
    const { plan, given } = await planRun(runSession(context), input);
    const earlier = await readEarlierTimes(findPlaces(environment).runs, {
      runbook: plan.runbook,
      cluster: plan.cluster.id,
    });
    const { stdout } = environment;
    const { output, details } = input;
    await writePlan(plan, output, {
      sink: stdout,
      options: { details, earlier, given },
    });
    refusePlan(plan, stdout.terminal && output.kind === "table");
    if (input.exitCode && hasChanges(plan)) {
      throw new DifferentError("A run would or might change something");
    }
  },
} satisfies Command<never, PlanInputs>;

/** Writes a plan. */
async function writePlan(
  made: Plan,
  format: PlanFormat,
  { sink, options }: {
    readonly sink: Environment["stdout"];
    readonly options: Parameters<typeof planView>[0];
  },
): Promise<void> {
  const plan = maskValue(made, processMasker.mask);
  if (format.kind === "html") {
    // As wide as the page.
    const summary = planSections(plan, { ...options, columns: 126 });
    const page = planPage(plan, {
      summary,
      given: options.given,
      place: makePlaceNames(plan),
    });
    await sink.write(new TextEncoder().encode(page));
    return;
  }
  const view = planView(options);
  const drawn = await renderer<Plan>({ view, format, sink });
  await drawn.row(plan);
  await drawn.end();
}
