import type { Check, CheckResult } from "../../checks/check.ts";
import type { Effect } from "../../operations/operation.ts";
import type { QuorumEffect } from "../../etcd/quorum.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { Budget } from "../../runbook_cel/cost.ts";
import type { Engine, Seeing } from "../engine/engine.ts";
import type { RunCluster } from "../engine/run_cluster.ts";
import type { RunResources } from "../../ca/run_resources.ts";
import type { Step } from "../runbook.ts";
import type { PlanStage, Unknown } from "./plan.ts";
import type { PlanPosition } from "./plan_position.ts";
import type { FactChanges } from "./changing_facts.ts";

/** Something that would take a node away for a while, or for good. */
export interface Disturbance {
  readonly path: string;
  /** Its node; empty when that is decided at run time. */
  readonly node: string;
  readonly module: string;
  /** How bad it is when it goes wrong. */
  readonly effect: Effect;
  /** What it does to the member of etcd. */
  readonly quorum: QuorumEffect;
  /** Id of the member it is about; default the node's own. */
  readonly member?: string;
}

/** A plan while it is made. */
export interface Planner {
  /** What expressions, groups and budgets are worked out with. */
  readonly engine:
    & Seeing
    & Pick<Engine, "parallel" | "runbook" | "module">;
  /** The nodes; what is asked of them changes nothing. */
  readonly cluster: RunCluster;
  readonly checks: ReadonlyMap<string, Check>;
  readonly clock: OperationClock;
  readonly signal: AbortSignal;
  /** What modules find; it keeps nothing. */
  readonly resources: RunResources;
  /**
   * Plans steps, one after the other.
   *
   * @param places Where they are walked through; the nodes of a fan-out, or one outside of all.
   */
  readonly planSteps: (
    places: readonly PlanPosition[],
    steps: readonly Step[],
  ) => Promise<readonly PlanStage[]>;
  /** Facts that steps so far may have changed. */
  readonly moved: FactChanges;
  /** Steps so far that change something. */
  readonly changing: string[];
  /** Decisions that are not known, and what they depend on. */
  readonly decisions: Map<string, readonly string[]>;
  /** What is decided at run time, each once. */
  readonly unknowns: Map<string, Unknown>;
  readonly disturbances: Disturbance[];
  /** What checks have found, each looked at once. */
  readonly findings: Map<string, Promise<CheckResult>>;
  /** What its expressions may cost together. */
  readonly budget: Budget;
  /** What is left of the budget when signals are listened to again. */
  breath: number;
  /** Path of the step at which the run would end; what comes behind it is not reached. */
  ended: string | undefined;
  /** Where the runbook itself is walked through, whose values conditions of overridden rules see. */
  top: PlanPosition | undefined;
}

/** Notes what is decided at run time. */
export function noteUnknown({ unknowns }: Planner, unknown: Unknown): void {
  const { path, what, expression, needs } = unknown;
  const key = JSON.stringify([path, what, expression]);
  const before = unknowns.get(key);
  const all = [...new Set([...before?.needs ?? [], ...needs])];
  unknowns.set(key, { ...unknown, needs: all });
}

/** Does something for many, a few at a time. Returns what came of each, in the order of the list. */
export async function runEach<One, Result>(
  list: readonly One[],
  most: number,
  act: (one: One) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(list.length);
  const waiting = [...list.entries()].values();
  async function work(): Promise<void> {
    for (const [index, one] of waiting) results[index] = await act(one);
  }
  await Promise.all(Array.from({ length: Math.min(most, list.length) }, work));
  return results;
}
