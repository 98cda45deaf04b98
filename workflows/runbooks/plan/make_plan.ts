/** Makes a plan: reads, walks through the steps, and asks the safety rules. Nothing is changed. */

import { type FoundNames, moduleIn } from "../language/lookup.ts";
import { planSteps } from "./stages.ts";
import { ConfigError } from "../../../errors.ts";
import type { Check } from "../../checks/check.ts";
import type { Json, OperationClock } from "../../operations/operation.ts";
import { frameOf } from "../engine/frame.ts";
import { groupKey } from "../journal/history.ts";
import type { RunCluster } from "../engine/run_cluster.ts";
import type { CredentialRing, Vault } from "../module.ts";
import type { Plan, PlannedGroup } from "./plan.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import { hashFacts, hashRunbook } from "./plan_facts.ts";
import { noMovements } from "./changing_facts.ts";
import { planWork } from "./nested.ts";
import { seeingOf } from "./current_values.ts";
import { openBook } from "./known_values.ts";
import { positionOf } from "./plan_position.ts";
import type { Planner } from "./planner.ts";
import { refusalsOf } from "./refusals.ts";
import { safetyOf } from "./safety.ts";

/** What a plan is made with. */
export interface PlanRequest {
  /** What is planned. */
  readonly runbook: Runbook;
  /** Values of its inputs; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** The cluster, reached in a way that changes nothing: see {@linkcode readingOnly}. */
  readonly cluster: RunCluster;
  /** The cluster, read for it. */
  readonly facts: Facts;
  /** What the runbooks name. */
  readonly found: FoundNames;
  /** Checks by name. */
  readonly checks: ReadonlyMap<string, Check>;
  /** Credentials, reached in the same way. */
  readonly ring: CredentialRing;
  /** Time. */
  readonly clock: OperationClock;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Nodes looked at at once. */
  readonly parallel: number;
  /** Only these nodes, when given. */
  readonly limit?: ReadonlySet<string>;
  /** Which other run has the cluster, when one has. */
  readonly held?: string | undefined;
  /** What else a run would be refused for before it begins, for people. */
  readonly refused?: readonly string[];
}

/** What the expressions of a plan may cost together (`RuntimeCELCostBudget` of the Kubernetes API server). */
const budgetOfAll = 10_000_000;

/** What is added to it for each node, whose conditions are all looked at. */
const budgetOfNode = 20_000;

/** Makes a plan. */
export async function makePlan(request: PlanRequest): Promise<Plan> {
  const { runbook, inputs, facts, clock } = request;
  const planner = plannerOf(request);
  const opening = { runbook, path: "", inputs, hidden: new Map() };
  const { book, names } = await openBook(planner, undefined, opening);
  const top = positionOf(frameOf(book), names);
  planner.top = top;
  const groups = groupsOf(planner, runbook);
  const { steps: stages, rescue, always } = await planWork(
    planner,
    [top],
    runbook,
  );
  const safety = await safetyOf(planner, stages, request.held);
  const about = new Set(groups.flatMap(({ nodes }) => nodes));
  const { id, name } = facts.cluster;
  return {
    v: 1,
    runbook: runbook.name,
    ir: await hashRunbook(runbook),
    title: runbook.title,
    cluster: { id, name },
    madeAt: new Date(clock.now()).toISOString(),
    inputs: book.inputs,
    groups,
    stages,
    rescue,
    always,
    refusals: refusalsOf(stages, always, safety, request.refused),
    safety,
    unknowns: [...planner.unknowns.values()],
    joined: [],
    left: [],
    facts: await hashFacts(runbook, facts, about),
  };
}

function groupsOf({ engine }: Planner, runbook: Runbook): PlannedGroup[] {
  return Object.entries(runbook.groups).map(([name, { at }]) => ({
    name,
    nodes: engine.groups.get(groupKey({ path: "" }, name)) ?? [],
    at,
  }));
}

function plannerOf(request: PlanRequest): Planner {
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
      module: (name) => moduleIn(found, name),
      ...seeingOf({
        facts,
        found,
        now: clock.now,
        budget,
        ...(limit === undefined ? {} : { limit }),
      }),
    },
    cluster,
    checks,
    clock,
    signal,
    resources: { artifacts: "", vault: noVault, ring: request.ring },
    moved: noMovements(),
    changing: [],
    decisions: new Map(),
    unknowns: new Map(),
    disturbances: [],
    findings: new Map(),
    ended: undefined,
    top: undefined,
  };
  return planner;
}

/** A plan has no secrets, and makes none. */
const noVault: Vault = {
  put: (name) => Promise.reject(withoutSecret(name)),
  read: ({ secret }) => Promise.reject(withoutSecret(secret)),
  find: () => undefined,
  names: () => [],
};

function withoutSecret(name: string): ConfigError {
  return new ConfigError(`"${name}" is only known during the run`);
}
