import { maskValue, processMasker } from "../../lib/masker.ts";
import { DifferentError, LockedError, RefusedError } from "../../errors.ts";
import type { Environment } from "../../terminal/environment.ts";
import { renderer } from "../../terminal/render.ts";
import { checks } from "../../workflows/checks/all.ts";
import type { ClusterView } from "../../workflows/operations/cluster_view.ts";
import type { OperationClock } from "../../lib/clock.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import { ClusterLock } from "../../workflows/runbooks/lock/cluster_lock.ts";
import { refuseUnfinished } from "../../workflows/runbooks/lock/local_lock.ts";
import { onlyRead } from "../../workflows/runbooks/lock/read_only.ts";
import { makePlan } from "../../workflows/runbooks/plan/make_plan.ts";
import { planPage } from "../../workflows/runbooks/plan/page/plan_page.ts";
import { hasChanges, type Plan } from "../../workflows/runbooks/plan/plan.ts";
import { planView } from "../../workflows/runbooks/report/plan_view.ts";
import { resolveGiven } from "../../workflows/runbooks/run/given_inputs.ts";
import { parseLimit } from "../../workflows/runbooks/run/node_limit.ts";
import {
  findSteps,
  refuseCommands,
  refuseUnsuitable,
} from "../../workflows/runbooks/run/prepare_run.ts";
import { refuseRole } from "../../workflows/runbooks/run/required_role.ts";
import { connectRun } from "../../workflows/runbooks/run/run_connection.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import { hasEnded } from "../../workflows/runbooks/store/run_condition.ts";
import { listRuns } from "../../workflows/runbooks/store/run_folder.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import { makeHandles } from "../../workflows/runbooks/store/run_vault.ts";
import { outputFlag } from "../_kit/globals.ts";
import {
  type Command,
  type Context,
  type Flag,
  type Format,
  InputProblem,
  integer,
  stringArray,
  toggle,
  type Values,
  word,
} from "../_kit/mod.ts";
import { allowCommandsFlag } from "../_runbook/run_flags.ts";
import { runSession } from "../_runbook/session.ts";
import { inputFlags } from "./_flags/input_flags.ts";

/** Output format of a plan. */
export type PlanFormat = Format | {
  readonly kind: "html";
};

/** `--output`. */
export const planOutputFlag: Flag<PlanFormat> = {
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
  output: planOutputFlag,
  runbook: word("file, or builtin:<name>", { complete: "runbooks" }),
};

type PlanInputs = Values<typeof inputs>;

export const command = {
  summary: "Show what a run would do",
  description:
    `Reads the cluster and shows the results of gates, what each step would do on each node, and the safety rules;
nothing is changed. Whatever depends on earlier steps is shown as decided at run time. Calls that could change a node or
Kubernetes are refused before they are sent.

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
    const plan = await buildPlan(context);
    const { input, environment } = context;
    await writePlan(plan, input.output, environment.stdout);
    refuse(plan);
    if (input.exitCode && hasChanges(plan)) {
      throw new DifferentError("A run would or might change something");
    }
  },
} satisfies Command<never, PlanInputs>;

/** A plan of a run that would be refused must not succeed. */
function refuse({ refusals }: Plan): void {
  const [first, ...others] = refusals;
  if (first === undefined) return;
  const { path, node, reason } = first;
  const where = [path, node === undefined ? "" : `on ${node}`]
    .filter((part) => part).join(" ");
  const more = others.length === 0 ? "" : `; and ${others.length} more`;
  throw new RefusedError(
    `A run would be refused: ${
      where === "" ? "" : `${where}: `
    }${reason}${more}`,
  );
}

/** Reasons to refuse a run; empty if it would start. */
function refusedBy(check: () => void): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { message, hint } = error;
    return [hint === undefined ? message : `${message} (${hint})`];
  }
}

async function buildPlan(context: Context<PlanInputs>): Promise<Plan> {
  const { input, environment } = context;
  const session = runSession(context);
  const { runbook } = await loadRunbook(input.runbook, session.load);
  refuseUnsuitable(runbook);
  const given = await resolveGiven(runbook, {
    given: input,
    environment,
    signal: context.signal,
  });
  const { clock } = session;
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, context.signal]);
  using connection = connectRun({
    to: await session.connect(undefined, signal),
    vault: { read: () => Promise.reject(onlyRead("read secrets")) },
    clock,
    signal,
    readOnly: true,
  });
  const reopen = () => {
    throw onlyRead("open other connections");
  };
  try {
    const facts = await connection.cluster.readFacts();
    const limit = parseLimit(input.limit, { facts, runbook, now: clock.now });
    return await makePlan({
      runbook,
      inputs: { ...given.values, ...makeHandles(given.secrets.keys()) },
      cluster: connection.cluster,
      facts,
      found: await findSteps(
        runbook,
        session.steps({ nodes: connection.nodes, reopen }),
      ),
      checks,
      ring: connection.ring,
      clock,
      signal,
      parallel: input.parallel,
      refused: [
        ...refusedBy(() => refuseRole(runbook, connection.crt)),
        ...refusedBy(() => refuseCommands(runbook, input.allowCommands)),
      ],
      held: await otherRun(runbook, {
        runs: findPlaces(environment).runs,
        cluster: facts.cluster.id,
        kubernetes: connection.view.kubernetes,
        clock,
      }),
      ...(limit === undefined ? {} : { limit: new Set(limit) }),
    });
  } finally {
    ended.abort();
  }
}

/** Writes a plan. */
export async function writePlan(
  made: Plan,
  format: PlanFormat,
  sink: Environment["stdout"],
): Promise<void> {
  const plan = maskValue(made, processMasker.mask);
  if (format.kind === "html") {
    await sink.write(new TextEncoder().encode(planPage(plan)));
    return;
  }
  const drawn = await renderer<Plan>({ view: planView, format, sink });
  await drawn.row(plan);
  await drawn.end();
}

/**
 * Finds another run that holds the lock of the cluster; changes nothing.
 *
 * @param runbook Runbook to run; one without a lock has no conflict.
 * @returns Description of that run; `undefined` if there is none.
 */
export async function otherRun(
  { policy }: Runbook,
  { runs, cluster, kubernetes, clock }: {
    readonly runs: string;
    readonly cluster: string;
    readonly kubernetes: ClusterView["kubernetes"];
    readonly clock: OperationClock;
  },
): Promise<string | undefined> {
  if (policy.lock === "none") return undefined;
  const lock = new ClusterLock({
    kubernetes,
    run: "plan",
    operator: "",
    clock,
    needed: false,
    hasEnded: (run) => hasEnded(runs, run),
    record: () => Promise.resolve(),
    note() {},
  });
  try {
    refuseUnfinished(await listRuns(runs, cluster), cluster, new Set());
    await lock.look();
    return undefined;
  } catch (error) {
    if (error instanceof LockedError) return error.message;
    throw error;
  }
}
