/** Steps, one after the other. */

import type { Step } from "../runbook.ts";
import type { Engine } from "./engine.ts";
import type { Failure } from "./failure.ts";
import { type Frame, pathIn } from "./frame.ts";
import { runStep } from "./step.ts";

/**
 * Does steps until one fails.
 *
 * @returns Why it failed; `undefined` when none did.
 * @throws {Halt} When the run is to end here, to be resumed.
 */
export async function runSteps(
  engine: Engine,
  frame: Frame,
  steps: readonly Step[],
): Promise<Failure | undefined> {
  const paths = steps.map(({ id }) => pathIn(frame, id));
  for (const [index, step] of steps.entries()) {
    // One after the other is what a list of steps means.
    const failure = await runStep(engine, frame, step, paths.slice(index + 1));
    if (failure !== undefined) return failure;
  }
  return undefined;
}
