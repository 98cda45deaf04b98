/** Evaluates expressions and groups at one moment before a run, without reading again. */

import type { Budget } from "../../runbook_cel/cost.ts";
import type { Seeing } from "../engine/engine.ts";
import type { FoundNames } from "../language/lookup.ts";
import type { Facts } from "../read_facts.ts";
import type { PlanValue } from "./plan_position.ts";
import { makeEvaluator } from "../language/typing/evaluator.ts";

/** State of the cluster at one moment. */
export interface PlanMoment {
  /** Facts as read. */
  readonly facts: Facts;
  readonly found: FoundNames;
  /** Current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Limits the run to these nodes. */
  readonly limit?: ReadonlySet<string>;
  /** Cost limit of all expressions together; default, a limit for each. */
  readonly budget?: Budget;
}

/** Makes the context in which expressions of one moment are evaluated. */
export function toSeeing(
  { facts, found, now, limit, budget }: PlanMoment,
): Seeing & { readonly decisions: Map<string, PlanValue> } {
  return {
    evaluator: makeEvaluator(found, {
      reached: () => false,
      now,
      budget,
    }),
    facts: {
      last: () => facts,
      recent: () => Promise.resolve(facts),
      forget() {},
    },
    groups: new Map(),
    decisions: new Map(),
    limit,
  };
}
