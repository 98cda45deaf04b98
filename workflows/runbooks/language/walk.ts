/** Going through the steps of a runbook. */

import type { Runbook, Step } from "../runbook.ts";

/** A step and where it is. */
export interface Visit {
  /** The step. */
  readonly step: Step;
  /** True inside of a `forEach`, and in runbooks that are `per: node`. */
  readonly onNode: boolean;
}

/** Goes through the steps of a runbook, without those of runbooks that it uses. */
export function* stepsIn(runbook: Runbook): Generator<Visit> {
  const onNode = runbook.per === "node";
  for (const list of [runbook.steps, runbook.rescue, runbook.always]) {
    yield* visits(list, onNode);
  }
}

/**
 * Goes through steps and what is in them, also in runbooks that they use.
 *
 * @param seen Runbooks that were gone through already; each is taken once.
 */
export function* allSteps(
  steps: readonly Step[],
  seen: Set<Runbook> = new Set(),
): Generator<Step> {
  for (const { step } of visits(steps, false)) {
    yield step;
    if (step.verb !== "use" || seen.has(step.runbook)) continue;
    seen.add(step.runbook);
    const { runbook } = step;
    for (const list of [runbook.steps, runbook.rescue, runbook.always]) {
      yield* allSteps(list, seen);
    }
  }
}

/** The lists of steps in a step. */
export function listsOf(step: Step): readonly (readonly Step[])[] {
  return step.verb === "forEach" || step.verb === "block"
    ? [step.steps, step.rescue, step.always]
    : [];
}

function* visits(steps: readonly Step[], onNode: boolean): Generator<Visit> {
  for (const step of steps) {
    yield { step, onNode };
    const within = onNode || step.verb === "forEach";
    for (const list of listsOf(step)) yield* visits(list, within);
  }
}
