/** Makes a plan: reads the cluster, walks through the steps, and checks the safety rules. Changes nothing. */

import { OsctlError } from "../../../errors.ts";
import type { Check } from "../../checks/check.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { Json } from "../../../lib/json.ts";
import type { RunCluster } from "../engine/run_cluster.ts";
import { withInitials } from "../engine/run_values.ts";
import { groupKey } from "../journal/history.ts";
import { type FoundNames, moduleIn } from "../language/lookup.ts";
import type { CredentialRing } from "../../ca/run_resources.ts";
import type { Vault } from "../../vault/secrets.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import { noMovements } from "./changing_facts.ts";
import { toSeeing } from "./current_values.ts";
import { openBook } from "./known_values.ts";
import { planWork } from "./plan_blocks.ts";
import { isOverridden } from "./rule_overrides.ts";
import type {
  Plan,
  PlannedGroup,
  PlannedRefusal,
  PlanStage,
  SafetyVerdict,
} from "./plan.ts";
import { hashFacts, hashRunbook } from "./plan_facts.ts";
import type { Planner } from "./planner.ts";
import { byCheck, checkSafety } from "./safety.ts";
import { planSteps } from "./stages.ts";

/** Options of a plan. */
export interface RunPlanRequest {
  readonly runbook: Runbook;
  /** Input values; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Values of the secret inputs by name, where they are known. */
  readonly secrets?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Read-only cluster access: see {@linkcode readingOnly}. */
  readonly cluster: RunCluster;
  readonly facts: Facts;
  readonly found: FoundNames;
  readonly checks: ReadonlyMap<string, Check>;
  /** Credentials, read-only as well. */
  readonly ring: CredentialRing;
  readonly clock: OperationClock;
  readonly signal: AbortSignal;
  readonly parallel: number;
  /** Limits the run to these nodes. */
  readonly limit?: ReadonlySet<string>;
  /** Other run that holds the cluster lock, if any. */
  readonly held?: string | undefined;
  /** Other reasons to refuse the run before it starts, for display. */
  readonly refused?: readonly string[];
}

/** Cost limit of all expressions of a plan. */
const budgetOfAll = 10_000_000;

/** Added to it for each node, since every condition is evaluated per node. */
const budgetOfNode = 20_000;

/** Makes a plan. */
export async function makePlan(request: RunPlanRequest): Promise<Plan> {
  const { runbook, inputs, facts, clock } = request;
  const planner = makePlanner(request);
  const top = await openBook(planner, runbook, "", inputs);
  planner.top = top;
  const groups = listGroups(planner, runbook);
  const { steps: stages, rescue, always } = await planWork(
    planner,
    [top],
    runbook,
  );
  const safety = await checkSafety(planner, stages, request.held);
  const about = new Set(groups.flatMap(({ nodes }) => nodes));
  const { id, name } = facts.cluster;
  return {
    v: 1,
    runbook: runbook.name,
    ir: await hashRunbook(runbook),
    title: runbook.title,
    cluster: { id, name },
    madeAt: new Date(clock.now()).toISOString(),
    inputs: withInitials(runbook, inputs),
    groups,
    stages,
    rescue,
    always,
    refusals: listRefusals(stages, always, safety, request.refused),
    safety,
    unknowns: [...planner.unknowns.values()],
    joined: [],
    left: [],
    facts: await hashFacts(runbook, facts, about),
  };
}

function listGroups({ engine }: Planner, runbook: Runbook): PlannedGroup[] {
  return Object.entries(runbook.groups).map(([name, { at }]) => ({
    name,
    nodes: engine.groups.get(groupKey({ path: "" }, name)) ?? [],
    at,
  }));
}

function makePlanner(request: RunPlanRequest): Planner {
  const { runbook, facts, found, cluster, checks, clock, signal, limit } =
    request;
  const budget = {
    left: budgetOfAll + budgetOfNode * facts.nodes.length,
  };
  const planner: Planner = {
    planSteps: (places, steps) => planSteps(planner, places, steps),
    budget,
    breath: budget.left,
    engine: {
      runbook,
      parallel: request.parallel,
      run: "plan",
      cluster,
      clock,
      resources: {
        artifacts: "",
        vault: planVault(request),
        ring: request.ring,
      },
      members: facts.nodes.map(({ name }) => name),
      overridden: (rule) => isOverridden(planner, rule),
      module: (name) => moduleIn(found, name),
      ...toSeeing({ facts, found, now: clock.now, budget, limit }),
    },
    checks,
    signal,
    moved: noMovements(),
    changing: [],
    unknowns: new Map(),
    disturbances: [],
    findings: new Map(),
    ended: undefined,
    top: undefined,
  };
  return planner;
}

/** A vault for plans, which create no secrets and know those of inputs alone. */
function planVault({ secrets }: Pick<RunPlanRequest, "secrets">): Vault {
  return {
    put: (name) => Promise.reject(withoutSecret(name)),
    async read({ secret }) {
      const known = secrets?.get(secret.replace(/^input\//, ""));
      return await (known ?? Promise.reject(withoutSecret(secret)));
    },
    find: () => undefined,
    names: () => [],
  };
}

function withoutSecret(name: string): OsctlError {
  return new OsctlError(`"${name}" is only known during the run`);
}

/**
 * Collects the refusals that would end a run, if nothing changes. Omits refusals of some nodes that the fan-out
 * tolerates, and steps that may fail.
 *
 * @param always Stages of `always`.
 * @returns Distinct refusals, in the order of the run.
 */
function listRefusals(
  stages: readonly PlanStage[],
  always: readonly PlanStage[],
  safety: readonly SafetyVerdict[],
  before: readonly string[] = [],
): readonly PlannedRefusal[] {
  const all = [...stages, ...always];
  const found = [
    ...before.map((reason) => ({ reason })),
    ...all.flatMap(ownRefusals),
    ...safety.flatMap(ofRule),
  ];
  const once = [...new Map(found.map((one) => [formatKey(one), one])).values()];
  return all.reduce(withoutBorne, once);
}

function formatKey({ path = "", node = "", reason }: PlannedRefusal): string {
  return JSON.stringify([path, node, reason]);
}

function ofRule(
  { rule, state, reason, path, node }: SafetyVerdict,
): readonly PlannedRefusal[] {
  if (state !== "refuses") return [];
  return [{
    ...(path === undefined ? {} : { path }),
    ...(node === undefined ? {} : { node }),
    reason: `${rule}: ${reason}`,
  }];
}

function ownRefusals(stage: PlanStage): readonly PlannedRefusal[] {
  const { path } = stage;
  if (stage.happens !== "yes") return [];
  switch (stage.verb) {
    case "assert": {
      const { holds, failing, message: reason } = stage;
      if (holds !== "no") return [];
      return failing?.map((node) => ({ path, node, reason })) ??
        [{ path, reason }];
    }
    case "run":
      return stage.previews.flatMap(({ outcome, node, reason }) =>
        outcome === "refused"
          ? [{
            path,
            ...(node === undefined ? {} : { node }),
            reason: reason ?? "a rule forbids it",
          }]
          : []
      );
    case "gate":
      // Those of a safety rule are among its verdicts.
      return stage.checks.flatMap(({ check, node, final, reason = check }) =>
        final && !Object.hasOwn(byCheck, check)
          ? [{ path, ...(node === undefined ? {} : { node }), reason }]
          : []
      );
    case "forEach":
    case "block":
      return [...stage.steps, ...stage.always].flatMap(ownRefusals);
    default:
      return [];
  }
}

/** Removes refusals that a stage, or one inside it, tolerates. */
function withoutBorne(
  refusals: readonly PlannedRefusal[],
  stage: PlanStage,
): readonly PlannedRefusal[] {
  const isIn = ({ path = "" }: PlannedRefusal) =>
    path === stage.path || path.startsWith(`${stage.path}/`);
  if (stage.onFailure === "continue") {
    return refusals.filter((one) => !isIn(one));
  }
  if (stage.verb === "block") {
    return [...stage.steps, ...stage.always].reduce(withoutBorne, refusals);
  }
  if (stage.verb !== "forEach") return refusals;
  const left = [...stage.steps, ...stage.always].reduce(withoutBorne, refusals);
  const nodes = new Set(left.filter(isIn).map(({ node }) => node));
  return nodes.size <= stage.maxFailures
    ? left.filter((one) => !isIn(one))
    : left;
}
