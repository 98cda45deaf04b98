/** Position of a plan, whose values may be known to a run only. */

import type { Json } from "../../../lib/json.ts";
import type { Frame } from "../engine/frame.ts";
import type { Certainty } from "./plan.ts";

/** A value that only a run knows. */
export class UnknownValue {
  /** Paths of the steps it depends on; empty for the time and the like. */
  readonly needs: readonly string[];
  /** Expressions without a value, as written. */
  readonly expression: string;

  constructor(needs: readonly string[], expression = "") {
    this.needs = needs;
    this.expression = expression;
  }
}

/** A value of a plan. */
export type PlanValue = Json | UnknownValue;

/** Position of a plan: on one node of a fan-out, or outside fan-outs. */
export interface PlanPosition {
  readonly frame: Frame<PlanValue>;
  /** Groups of its runbook whose nodes may differ in a run: paths of the steps they depend on, by name. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Certainty that the run gets here. */
  readonly certain: Exclude<Certainty, "no">;
  /** True in a fan-out whose nodes are known only at run time. */
  readonly anyNode?: true;
  /** True in a `rescue`, where the steps that ran before are unknown. */
  readonly failing: boolean;
}

/** Copy of a position for the steps after a failure; outputs stay in the copy. */
export function afterFailure(place: PlanPosition): PlanPosition {
  const { frame } = place;
  const outputs = new Map(frame.outputs);
  return {
    ...place,
    frame: { ...frame, outputs },
    certain: "unknown",
    failing: true,
  };
}

/** A position, and whether the step runs there. */
export interface Arrival {
  readonly place: PlanPosition;
  readonly happens: Certainty;
}
