/** Expressions and groups of one moment: nothing is read again, and nothing was done yet. */

import type { Seeing } from "../engine/engine.ts";
import type { Found } from "../load/lookup.ts";
import type { Facts } from "../read_facts.ts";
import { makeEvaluator } from "../typing/evaluator.ts";

/** What is seen of one moment. */
export interface Moment {
  /** The cluster, as it was read. */
  readonly facts: Facts;
  /** What the runbooks name. */
  readonly found: Found;
  /** Present moment, in milliseconds since 1970. */
  readonly now: () => number;
  /** Only these nodes, when given. */
  readonly limit?: ReadonlySet<string>;
}

/**
 * Makes what expressions of one moment are evaluated with.
 *
 * @param moment What is seen.
 */
export function seeingOf({ facts, found, now, limit }: Moment): Seeing {
  return {
    evaluator: makeEvaluator(found, { reached: () => false, now }),
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
