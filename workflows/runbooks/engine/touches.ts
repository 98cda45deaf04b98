/** Which steps have changed something. */

import type { Step } from "../runbook.ts";
import { effectOf } from "../module.ts";
import type { Engine } from "./engine.ts";
import { type Frame, pathIn } from "./frame.ts";

/** Whether a step of a rescue has done something that changes the node: it was begun, and is no mere look. */
export function changes(
  engine: Pick<Engine, "done" | "module">,
  frame: Frame,
  step: Step,
): boolean {
  if (step.verb !== "run") return false;
  const effect = effectOf(engine.module(step.module));
  return effect !== "read" && engine.done.has(doneKey(frame, step));
}

/** Key of a step that this process has done. */
export function doneKey(frame: Frame, step: Pick<Step, "id">): string {
  return `${pathIn(frame, step.id)}@${frame.node ?? ""}#${frame.entry}`;
}

/**
 * Whether anything in these steps disturbs a node.
 *
 * @param engine Modules.
 * @param steps Steps, with those inside of them.
 */
export function disturbs(
  engine: Pick<Engine, "module">,
  steps: readonly Step[],
): boolean {
  return steps.some((step) => {
    switch (step.verb) {
      case "run": {
        const effect = effectOf(engine.module(step.module));
        return effect === "disrupt" || effect === "destroy";
      }
      case "forEach":
      case "block":
        return disturbs(engine, [
          ...step.steps,
          ...step.rescue,
          ...step.always,
        ]);
      case "use":
        return disturbs(engine, [
          ...step.runbook.steps,
          ...step.runbook.rescue,
          ...step.runbook.always,
        ]);
      default:
        return false;
    }
  });
}
