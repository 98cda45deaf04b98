/** Position of a plan, with the names that have no value there yet. */

import type { Json } from "../../../lib/json.ts";
import type { Frame } from "../engine/frame.ts";
import type { Certainty } from "./plan.ts";

/** Names without a value, and the paths of the steps they depend on. */
export type UnknownValues = Map<string, readonly string[]>;

/** Names of a runbook without a value, or whose value may change. */
export interface UnknownNames {
  readonly inputs: UnknownValues;
  readonly vars: UnknownValues;
  readonly groups: UnknownValues;
}

/** Position of a plan: on one node of a fan-out, or outside fan-outs. */
export interface PlanPosition {
  readonly frame: Frame;
  /** Unknown names of its runbook. */
  readonly names: UnknownNames;
  /** Steps of this scope with unknown outputs. */
  readonly steps: UnknownValues;
  /** The same for enclosing scopes. */
  readonly around: readonly UnknownValues[];
  /** Certainty that the run gets here. */
  readonly certain: Exclude<Certainty, "no">;
  /** True in a fan-out whose nodes are known only at run time. */
  readonly anyNode?: true;
  /** True in a `rescue`, where the steps that ran before are unknown. */
  readonly failing: boolean;
}

/** Makes the initial position of a runbook. */
export function toPosition(frame: Frame, names: UnknownNames): PlanPosition {
  return {
    frame,
    names,
    steps: new Map(),
    around: [],
    certain: "yes",
    failing: false,
  };
}

/** Makes an empty set of unknown names. */
export function noUnknownNames(): UnknownNames {
  return { inputs: new Map(), vars: new Map(), groups: new Map() };
}

type PlannedOutcome =
  | {
    readonly outputs: Readonly<Record<string, Json>>;
  }
  | {
    /** Paths of the steps they depend on. */
    readonly needs: readonly string[];
  };

/** Notes the output of a step. */
export function setOutcome(
  place: PlanPosition,
  id: string,
  outcome: PlannedOutcome,
): void {
  if ("needs" in outcome) {
    place.steps.set(id, outcome.needs);
    place.frame.outputs.delete(id);
  } else {
    place.steps.delete(id);
    place.frame.outputs.set(id, outcome.outputs);
  }
}

/** Position inside a block. `certain`: whether the block is entered. */
export function enterBlock(
  place: PlanPosition,
  path: string,
  certain: PlanPosition["certain"],
): PlanPosition {
  const { frame, steps, around } = place;
  return {
    ...place,
    frame: {
      ...frame,
      path,
      outputs: new Map(),
      around: [...frame.around, frame.outputs],
    },
    steps: new Map(),
    around: [...around, steps],
    certain,
  };
}

/** Copy of a position for the steps after a failure; notes stay in the copy. */
export function afterFailure(place: PlanPosition): PlanPosition {
  return {
    ...place,
    frame: { ...place.frame, outputs: new Map(place.frame.outputs) },
    steps: new Map(place.steps),
    certain: "unknown",
    failing: true,
  };
}

/** A position, and whether the step runs there. */
export interface Arrival {
  readonly place: PlanPosition;
  readonly happens: Certainty;
}
