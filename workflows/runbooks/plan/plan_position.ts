/** Where the walk of a plan is, and which names have no value there yet. */

import type { Json } from "../../../lib/json.ts";
import type { Frame } from "../engine/frame.ts";
import type { Certainty } from "./plan.ts";

/** Names without a value, and the paths of the steps it comes from. */
export type UnknownValues = Map<string, readonly string[]>;

/** Names of a runbook that have no value, or may have another one later. */
export interface UnknownNames {
  readonly inputs: UnknownValues;
  readonly vars: UnknownValues;
  readonly groups: UnknownValues;
}

/** Where the walk is: on one node of a fan-out, or outside of all. */
export interface PlanPosition {
  readonly frame: Frame;
  /** What is not known of its runbook. */
  readonly names: UnknownNames;
  /** Steps of this scope whose outputs are not known. */
  readonly steps: UnknownValues;
  /** The same of the scopes around. */
  readonly around: readonly UnknownValues[];
  /** Whether the walk gets here at all. */
  readonly certain: Exclude<Certainty, "no">;
  /** True in a fan-out whose nodes only the run knows. */
  readonly anyNode?: true;
  /** True in a `rescue`: something went wrong, and what was done before is unknown. */
  readonly failing: boolean;
}

/** Where the walk of a runbook begins. */
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

/** Nothing is hidden. */
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

/** Notes what a step gives. */
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

/** The place inside of a block. `certain`: whether it is entered. */
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

/** The same place after a failure, for what is done then; what is noted there stays there. */
export function afterFailure(place: PlanPosition): PlanPosition {
  return {
    ...place,
    frame: { ...place.frame, outputs: new Map(place.frame.outputs) },
    steps: new Map(place.steps),
    certain: "unknown",
    failing: true,
  };
}

/** A place, and whether the step is done there. */
export interface Arrival {
  readonly place: PlanPosition;
  /** Whether the step is done there. */
  readonly happens: Certainty;
}
