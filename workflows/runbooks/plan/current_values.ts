/** Expressions and groups of one moment: nothing is read again, and nothing was done yet. */

import type { Budget } from "../../runbook_cel/cost.ts";
import type { Seeing } from "../engine/engine.ts";
import type { FoundNames } from "../language/lookup.ts";
import type { Facts } from "../read_facts.ts";
import { makeEvaluator } from "../language/typing/evaluator.ts";

/** What is seen of one moment. */
export interface PlanMoment {
  /** The cluster, as it was read. */
  readonly facts: Facts;
  readonly found: FoundNames;
  /** Present moment, in milliseconds since 1970. */
  readonly now: () => number;
  /** Only these nodes, when given. */
  readonly limit?: ReadonlySet<string>;
  /** What all expressions may cost together; default, each what it may cost alone. */
  readonly budget?: Budget;
}

/** Makes what expressions of one moment are evaluated with. */
export function toSeeing(
  { facts, found, now, limit, budget }: PlanMoment,
): Seeing {
  return {
    evaluator: makeEvaluator(found, {
      reached: () => false,
      now,
      ...budget && { budget },
    }),
    facts: {
      last: () => facts,
      recent: () => Promise.resolve(facts),
      forget() {},
    },
    groups: new Map(),
    decisions: new Map(),
    ...(limit === undefined ? {} : { limit }),
  };
}
