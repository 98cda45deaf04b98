import type { Check, CheckResult } from "../../checks/check.ts";
import type { Effect } from "../../operations/operation.ts";
import type { QuorumEffect } from "../../etcd/quorum.ts";
import type { Budget } from "../../runbook_cel/cost.ts";
import type { Engine, Seeing } from "../engine/engine.ts";
import type { ContextSource } from "../engine/contexts.ts";
import type { Step } from "../runbook.ts";
import type { PlanStage, Unknown } from "./plan.ts";
import type { PlanPosition, PlanValue } from "./plan_position.ts";
import type { FactChanges } from "./changing_facts.ts";

/** A disruption of a node, temporary or permanent. */
export interface Disturbance {
  readonly path: string;
  /** Node; empty when known only at run time. */
  readonly node: string;
  readonly module: string;
  /** Impact of the step. */
  readonly effect: Effect;
  /** Effect on the etcd member. */
  readonly quorum: QuorumEffect;
  /** Id of the member; default the node's own. */
  readonly member?: string;
}

/** State of planning. */
export interface Planner {
  /** Context for expressions, groups, budgets, modules and checks; read-only. */
  readonly engine:
    & Seeing
    & ContextSource
    & Pick<Engine, "groups" | "parallel" | "runbook" | "module">
    & { readonly decisions: Map<string, PlanValue> };
  readonly checks: ReadonlyMap<string, Check>;
  readonly signal: AbortSignal;
  /**
   * Plans steps in order.
   *
   * @param places Their positions: the nodes of a fan-out, or one outside fan-outs.
   */
  readonly planSteps: (
    places: readonly PlanPosition[],
    steps: readonly Step[],
  ) => Promise<readonly PlanStage[]>;
  /** Facts that earlier steps may have changed. */
  readonly moved: FactChanges;
  /** Earlier steps that change something. */
  readonly changing: string[];
  /** Distinct values known only at run time. */
  readonly unknowns: Map<string, Unknown>;
  readonly disturbances: Disturbance[];
  /** Results of checks; each runs once. */
  readonly findings: Map<string, Promise<CheckResult>>;
  /** Cost limit of all expressions. */
  readonly budget: Budget;
  /** Remaining budget at which planning yields to signals again. */
  breath: number;
  /** Path of the step at which the run would end; later steps are not reached. */
  ended: string | undefined;
  /** Top-level position, for the conditions of overridden rules. */
  top: PlanPosition | undefined;
}

/** Notes a value known only at run time. */
export function noteUnknown({ unknowns }: Planner, unknown: Unknown): void {
  const { path, what, expression, needs } = unknown;
  const key = JSON.stringify([path, what, expression]);
  const before = unknowns.get(key);
  const all = [...new Set([...before?.needs ?? [], ...needs])];
  unknowns.set(key, { ...unknown, needs: all });
}

/** Runs a function for each element, a few at a time. Returns the results in the order of the list. */
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
